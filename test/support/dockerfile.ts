/** One instruction of a Dockerfile. */
export interface Instruction {
  /** As written, in capitals: `RUN`. */
  readonly name: string;
  readonly rest: string;
}

/** The stages of a Dockerfile, in order, each beginning with its `FROM`. Comments and empty lines are left out. */
export function stagesOf(text: string): Instruction[][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, rest });
  }
  return stages;
}

/** What every instruction of this name says, in order. */
export const restsOf = (stage: readonly Instruction[], name: string): string[] =>
  stage.filter((each) => each.name === name).map(({ rest }) => rest);
