import { nearestWord } from '../core/nearest-word.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';

export type FaultCode = Extract<ProblemCode, `config-${string}` | `secret-${string}`>;

/** Keys and list indexes from the top of the config. */
export type Path = readonly (string | number)[];

export interface Position {
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong with a config: where it is and what to do about it. */
export interface ConfigFault extends Position {
  readonly code: FaultCode;
  /** For example `rewards[0].if.site` or `sites["My-List.com"].token`; empty for the file as a whole. */
  readonly path: string;
  readonly sentence: string;
  /** For a missing secret: the environment variable that the config names. */
  readonly variable?: string;
}

/** A fault whose position in the text is not known yet. */
export interface FaultAtPath {
  readonly code: FaultCode;
  readonly path: Path;
  readonly sentence: string;
  readonly variable?: string;
}

/** A name that nothing has which is known here. @param where the key that has the known names. */
export function unknownName(path: Path, name: string, known: readonly string[], where: string): FaultAtPath {
  const meant = nearestWord(name, known);
  const hint = meant === null ? `known names: ${known.join(', ')}` : `perhaps you meant '${meant}'`;
  return { code: 'config-unknown-name', path, sentence: `'${name}' is not in \`${where}\`; ${hint}` };
}

export const pathText = (path: Path): string => path.map(stepText).join('').replace(/^\./, '');

const stepText = (step: string | number): string => {
  if (typeof step === 'number') return `[${step}]`;
  return /^[A-Za-z_$][\w$]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
};

/** All faults of a config at once. */
export class ConfigProblem extends Problem {
  constructor(
    file: string,
    readonly faults: readonly ConfigFault[],
  ) {
    super(commonCode(faults), summary(file, faults));
    this.name = 'ConfigProblem';
  }
}

/** Lets a script distinguish a missing secret from a config that has to be edited. */
const commonCode = (faults: readonly ConfigFault[]): FaultCode => {
  const isSecrets = faults.every(({ code }) => code === 'secret-missing' || code === 'secret-placeholder');
  return isSecrets ? (faults[0]?.code ?? 'config-invalid') : 'config-invalid';
};

export const faultLine = (file: string, fault: ConfigFault): string => {
  const subject = fault.path === '' ? '' : `${fault.path}: `;
  return `${file}:${fault.line}:${fault.column} ${subject}${fault.sentence} [${fault.code}]`;
};

const summary = (file: string, faults: readonly ConfigFault[]): string => {
  const count = faults.length === 1 ? '1 problem' : `${faults.length} problems`;
  return [...faults.map((fault) => faultLine(file, fault)), `${count} in ${file}`].join('\n');
};
