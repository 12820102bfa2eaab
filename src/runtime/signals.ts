/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
export const stopSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    let isAsked = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (isAsked) process.exit(130);
      isAsked = true;
      resolve(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
