import type { Terminal } from './terminal.ts';

/** A command in backticks, as in every message. */
const IN_A_SENTENCE = /(?<=`)teller (?=[a-z])/g;
/** A command on its own line, as in the examples of help. */
const ON_A_LINE = /(?<=^ *)teller (?=[a-z])/gm;

/**
 * Messages name commands as `teller …`. This replaces that with what the user has to type, in a clone
 * `node dist/cli.js …`. It happens where all output passes, so that no message is missed.
 */
export function typedHere(terminal: Terminal, teller: string): Terminal {
  if (teller === 'teller') return terminal;
  const { unblock } = terminal;
  return {
    ...typing(terminal, teller),
    ...(unblock === undefined
      ? {}
      : {
          unblock: () => {
            const unblocked = unblock();
            return { ...unblocked, ...typing(unblocked, teller) };
          },
        }),
  };
}

const typing = (terminal: Terminal, teller: string): Terminal => ({
  out: (line) => terminal.out(line.replaceAll(IN_A_SENTENCE, `${teller} `)),
  err: (line) => terminal.err(line.replaceAll(IN_A_SENTENCE, `${teller} `)),
  interactive: terminal.interactive,
});

export const helpTypedHere = (text: string, teller: string): string =>
  text.replaceAll(IN_A_SENTENCE, `${teller} `).replaceAll(ON_A_LINE, `${teller} `);
