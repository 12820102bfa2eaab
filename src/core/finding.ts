import type { CannotTellCode, NotSentCode, UnknownCode } from './game-server-codes.ts';
import type { ProblemCode } from './problem.ts';

/** `problem`: votes or rewards are being lost or Teller does not start. `warning`: worth a look. */
export type Mark = 'ok' | 'warning' | 'problem';

/** What `check` can find besides the problems that commands end on and the reasons of a game server's silence. */
export const findingCodes = {
  config: 'The config can be used.',
  'config-older': 'A running Teller has another config than the file (rule 15).',
  secrets: 'Who can read the files that hold secrets.',
  'secret-not-here': 'A secret is in an environment variable that is not set in this shell.',
  'token-none': 'A site has no token, so that its v2 votes are refused.',
  keys: 'The RSA pair for v1 votes.',
  'keys-not-made': 'There is no RSA pair yet; `teller run` makes it.',
  port: 'The listener’s port.',
  'port-not-held': 'A Teller runs, but not on the port that the config names.',
  files: 'How many files, connections among them, the system lets Teller have open.',
  'files-few': 'The system lets Teller have fewer files open than the config asks for connections.',
  clock: 'This machine’s clock.',
  'clock-wrong': 'This machine’s clock, or that of the sites, is wrong.',
  'clock-doubtful': 'This machine’s clock cannot be relied on, so rewards are held.',
  ledger: 'The ledger can be read.',
  disk: 'Space left where the ledger is.',
  'disk-low': 'Little space is left where the ledger is.',
  'game-server': 'A game server takes the login and tells who is online.',
  'presence-one-by-one': 'A game server’s list is not understood; it is asked for each player instead.',
  'single-connection':
    'A game server takes no second login, probably because the running Teller holds its only RCON connection.',
  'password-unknown': 'A game server was not tried, because its password is not here.',
  practice: 'A practice server is paid instead of a real one (rule 9).',
  'replies-doubtful': 'Replies look like failures and count as delivered.',
  grants: 'What is owed.',
  'grants-stuck': 'Grants wait for a person.',
  'rewards-misfit': 'No reward can be paid to those who vote on a site.',
  'placeholder-unknown': 'A command has a word in braces or percent signs that Teller does not fill in.',
  'colour-code': 'A command of Minecraft shows a colour code such as &6 as it is written.',
  'not-running': 'No Teller delivers from this ledger.',
  'v1-open': 'Who can forge v1 votes.',
  'proxies-open': 'Whose PROXY headers are believed.',
  api: 'The listing’s API, in which missed votes are found.',
  'game-doubtful': 'A listing’s votes do not fit the game that the config says it is.',
  'api-plain': 'A listing’s API is asked without TLS.',
  'api-unknown': 'A listing’s API was not asked, because its token is not here.',
  site: 'A service that votes come from.',
  'site-silent': 'A listed site has never sent a vote.',
  'site-unlisted': 'A service votes that has no entry in `sites`.',
  'window-shared': 'Players got no reward because services without an entry share one window.',
  refusals: 'Something was refused.',
} as const satisfies Record<string, string>;

export type FindingCode =
  | keyof typeof findingCodes
  | ProblemCode
  | NotSentCode
  | UnknownCode
  | CannotTellCode;

/** One thing that was looked at. */
export interface Finding {
  readonly mark: Mark;
  readonly code: FindingCode;
  readonly sentence: string;
  /** What to do about it; null where nothing is. */
  readonly toDo: string | null;
}

export const ok = (code: FindingCode, sentence: string): Finding => ({
  mark: 'ok',
  code,
  sentence,
  toDo: null,
});

export const warning = (code: FindingCode, sentence: string, toDo: string | null = null): Finding => ({
  mark: 'warning',
  code,
  sentence,
  toDo,
});

export const problem = (code: FindingCode, sentence: string, toDo: string | null = null): Finding => ({
  mark: 'problem',
  code,
  sentence,
  toDo,
});
