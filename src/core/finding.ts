import type { CannotTellCode, NotSentCode, UnknownCode } from './game-server-codes.ts';
import type { PauseScope } from './pause.ts';
import type { ProblemCode } from './problem.ts';

/** `problem`: votes or rewards are being lost, or Teller does not start. `warning`: worth a look. */
export type Mark = 'ok' | 'warning' | 'problem';

/** The codes of `check`, without those of problems and of game servers that do not answer. */
export const findingCodes = {
  config: 'The config can be used.',
  'config-older': 'A running Teller has another config than the file (rule 15).',
  secrets: 'Who can read the files that hold secrets.',
  'ledger-open': 'Other users can read or lock the files of the ledger.',
  'secret-not-here': 'A secret is in an environment variable that is not set in this shell.',
  'token-none': 'A site has no token, so its v2 votes are refused.',
  keys: 'The RSA pair for v1 votes.',
  'keys-not-made': 'There is no RSA pair yet; `teller run` creates it.',
  port: 'The listener’s port.',
  'port-not-held': 'A Teller is running, but not on the port that the config names.',
  files: 'The open-file limit (ulimit -n), which includes connections.',
  'files-few': 'The open-file limit (ulimit -n) is too low for the connections in the config.',
  clock: 'This machine’s clock.',
  'clock-wrong': 'This machine’s clock, or that of the listings, is wrong.',
  'clock-doubtful': 'This machine’s clock cannot be relied on, so rewards are held.',
  'time-zone': 'The time zone in which days, weeks and months begin.',
  ledger: 'The ledger can be read.',
  disk: 'Free space on the disk of the ledger.',
  'disk-low': 'The disk of the ledger is nearly full.',
  'game-server': 'A game server accepts the login and reports who is online.',
  'presence-one-by-one':
    'A game server’s player list is not understood, so Teller asks for each player instead.',
  'single-connection':
    'A game server refuses a second login, probably because the running Teller has its only RCON connection.',
  'password-unknown': 'A game server was not tried, because its password is not available here.',
  practice: 'A practice server is paid instead of a real one (rule 9).',
  'practice-votes':
    'Votes that were tried from this machine on practice servers still count, beside a real game server (rule 9).',
  'replies-doubtful': 'A reply looks like a failure, but its command was judged delivered.',
  shadow: 'Nothing is paid here: `pay.mode` is "shadow", and another listener pays.',
  'shadow-alone': 'In shadow no vote is forwarded, so the listener that pays has to get its votes elsewhere.',
  'hand-over': 'The time from which votes are paid here, because another listener pays earlier ones.',
  paused: 'The operator has paused rewards: they are not paid until `teller resume`.',
  alarms: 'Whether the operator is notified of alarms.',
  'alarms-unsent': 'The last message about alarms did not arrive.',
  events: 'Which receivers are told of which events.',
  'events-unsent': 'An event did not reach its receiver.',
  grants: 'Whether grants are stuck or waiting.',
  'grants-stuck': 'Grants are held or refused and need your decision.',
  'rewards-misfit': 'No reward can be paid for votes on a site.',
  counts: 'Whether the counts that rewards depend on are those of the votes.',
  'counts-rebuilt': 'Counts that rewards depend on were not those of the votes, and were counted again.',
  'total-filtered': 'A reward for a total is missed if the vote that reaches it does not match a filter.',
  'placeholder-unknown': 'A command has a word in braces or percent signs that Teller does not fill in.',
  'colour-code': 'A Minecraft command shows a colour code such as &6 as text.',
  'not-running': 'No Teller is running, so no vote can arrive and no reward is paid.',
  'rcon-public': 'RCON, which is not encrypted, goes to a public address.',
  'panel-plain': 'A panel is called without TLS.',
  'v1-open': 'Anyone who has seen the public key can forge v1 votes.',
  'proxy-unnamed':
    'Many requests to the public page come through a proxy that `console.trustedProxies` does not name, so all players share one limit.',
  'proxies-open': 'PROXY headers are accepted from any address.',
  api: 'A listing’s API, where missed votes are found.',
  'game-doubtful': 'A listing’s votes do not match its game in the config.',
  'api-plain': 'A listing’s API is called without TLS.',
  'api-unknown': 'A listing’s API was not called, because its token is not available here.',
  site: 'When a vote with a service name last arrived.',
  'site-silent': 'No vote for a site in the config has ever arrived.',
  'site-unlisted': 'Votes arrive with a service name that has no entry in `sites`.',
  'window-shared': 'Votes were not rewarded because service names without an entry share one window.',
  refusals: 'Votes or connections were refused.',
} as const satisfies Record<string, string>;

export type FindingCode =
  | keyof typeof findingCodes
  | ProblemCode
  | NotSentCode
  | UnknownCode
  | CannotTellCode;

/** What one click in the console does about a finding. */
export type Fix =
  | { readonly kind: 'add-site'; readonly service: string }
  | { readonly kind: 'reload' }
  /** Pay what is held on a game server. */
  | { readonly kind: 'pay-held'; readonly server: string }
  | { readonly kind: 'resume'; readonly scope: PauseScope }
  | { readonly kind: 'release-clock' };

/** The result of one check. */
export interface Finding {
  readonly mark: Mark;
  readonly code: FindingCode;
  readonly sentence: string;
  /** What to do about it; null if there is nothing to do, or if the sentence says it. */
  readonly toDo: string | null;
  /** null if it takes more than one step. */
  readonly fix: Fix | null;
}

export const ok = (code: FindingCode, sentence: string): Finding => ({
  ...{ mark: 'ok', code, sentence, toDo: null, fix: null },
});

export const warning = (
  code: FindingCode,
  sentence: string,
  toDo: string | null = null,
  fix: Fix | null = null,
): Finding => ({ mark: 'warning', code, sentence, toDo, fix });

export const problem = (
  code: FindingCode,
  sentence: string,
  toDo: string | null = null,
  fix: Fix | null = null,
): Finding => ({ mark: 'problem', code, sentence, toDo, fix });
