import type { Terminal } from './terminal.ts';

/** A command between backticks, as every sentence in Teller names one. */
const IN_A_SENTENCE = /(?<=`)teller (?=[a-z])/g;
/** A command on a line of its own, as help shows examples. */
const ON_A_LINE = /(?<=^ *)teller (?=[a-z])/gm;

/**
 * Every message names commands as `teller …`. Here they become what is typed on this machine, from a clone
 * `npx tsx src/cli.ts …`: at the one place that all output passes, so that no sentence can forget it.
 */
export const typedHere = (terminal: Terminal, teller: string): Terminal => ({
  out: (line) => terminal.out(line.replaceAll(IN_A_SENTENCE, `${teller} `)),
  err: (line) => terminal.err(line.replaceAll(IN_A_SENTENCE, `${teller} `)),
  interactive: terminal.interactive,
});

export const helpTypedHere = (text: string, teller: string): string =>
  text.replaceAll(IN_A_SENTENCE, `${teller} `).replaceAll(ON_A_LINE, `${teller} `);
