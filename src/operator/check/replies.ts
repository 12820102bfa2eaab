import { type Finding, warning } from '../../core/finding.ts';
import { printable } from '../../core/printable.ts';
import { doubtTodo } from '../../delivery/replies.ts';
import type { GrantRow } from '../../ledger/ledger.ts';
import { doubtOf, patternsOf } from '../trace/reply-doubts.ts';
import type { Subject } from './subject.ts';

/** How many of the newest paid grants are looked at. */
const GRANTS_READ = 500;
const SHOWN_MAX = 5;
const REPLY_CHARACTERS_MAX = 120;

interface Doubt {
  readonly server: string;
  readonly entry: string;
  readonly command: string;
  readonly reply: string;
}

/** Replies that may have been failures: each kind once, with the newest command that got it. */
export async function checkReplies({ ledger, config }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const grants = await ledger.grants({ state: 'delivered', limit: GRANTS_READ });
  const doubts = grants.flatMap((grant) => doubtsOf(grant, config.gameServers));
  const kinds = new Map(doubts.toReversed().map((doubt) => [`${doubt.server} ${doubt.entry}`, doubt]));
  return [...kinds.values()].slice(0, SHOWN_MAX).map(findingOf);
}

/** Skips game servers that are no longer in the config, because there is no entry to correct. */
const doubtsOf = (
  { server, commands }: GrantRow,
  gameServers: Subject['config']['gameServers'],
): readonly Doubt[] =>
  !gameServers.has(server)
    ? []
    : commands.flatMap((row) => {
        const entry = doubtOf(row, patternsOf(gameServers, server));
        return entry === null ? [] : [{ server, entry, command: row.command, reply: row.reply ?? '' }];
      });

const findingOf = ({ server, entry, command, reply }: Doubt): Finding =>
  warning(
    'replies-doubtful',
    `${server} answered “${printable(command)}” with “${printable(reply, REPLY_CHARACTERS_MAX)}”, which looks like a failure but counts as delivered`,
    doubtTodo(server, entry),
  );
