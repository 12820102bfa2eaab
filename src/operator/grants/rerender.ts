import { type Config, namedRewards } from '../../config/config.ts';
import type { Choice } from '../../core/choice.ts';
import type { FilledIn } from '../../core/decide.ts';
import { FORWARD } from '../../core/forward.ts';
import { FIGURE_PLACEHOLDERS, type Filled, filledIn, needs } from '../../core/placeholders.ts';
import type { PlayerName } from '../../core/player-name.ts';
import type { GrantState } from '../../core/settlement.ts';
import { closeCommand } from '../../core/template.ts';
import type { GrantRow, Ledger } from '../../ledger/ledger.ts';
import { commandsFor, openCommands, VOTE_ONLY } from '../../rewards/grants.ts';
import { labelsOf, linksOf } from '../../votes/sites.ts';

/** A grant's commands as the config renders them now. */
export type Rerendered =
  | {
      readonly kind: 'rendered';
      readonly grant: GrantRow;
      /**
       * By position, with {player} not yet filled in; commands that already ran stay as they were. If there are fewer
       * than were owed, the rest are dropped.
       */
      readonly texts: readonly string[];
    }
  | { readonly kind: 'moved-on'; readonly state: GrantState | 'missing' };

export type RerenderedGrants = ReadonlyMap<number, Rerendered>;

/** Why the config cannot give a grant new commands. */
export type RerenderFault =
  | { readonly kind: 'reward-gone'; readonly reward: string }
  /** The reward has no such prize, alternative or `otherwise` any more. */
  | { readonly kind: 'choice-gone'; readonly reward: string; readonly choice: Choice }
  /** A placeholder whose value was not stored with the grant. */
  | { readonly kind: 'value-unknown'; readonly reward: string; readonly placeholder: string }
  | { readonly kind: 'more-commands'; readonly reward: string; readonly has: number; readonly owed: number }
  | { readonly kind: 'vote-missing'; readonly voteId: number }
  | {
      readonly kind: 'nothing-to-fill-in';
      readonly reward: string;
      readonly placeholder: 'player' | 'userId';
      /** null: it was given without a vote. */
      readonly voteId: number | null;
    };

export interface GrantFault {
  readonly grantId: number;
  readonly fault: RerenderFault;
}

/** Renders all of these grants again, or none if one of them cannot be rendered. */
export async function rerenderAll(
  ledger: Ledger,
  config: Config,
  ids: readonly number[],
): Promise<
  | { readonly kind: 'rerendered'; readonly grants: RerenderedGrants }
  | { readonly kind: 'impossible'; readonly faults: readonly GrantFault[] }
> {
  const grants = new Map<number, Rerendered>();
  const faults: GrantFault[] = [];
  for (const id of ids) {
    const rerendered = await rerenderOne(ledger, config, id);
    if ('fault' in rerendered) faults.push(rerendered);
    else grants.set(id, rerendered);
  }
  return faults.length > 0 ? { kind: 'impossible', faults } : { kind: 'rerendered', grants };
}

async function rerenderOne(
  ledger: Ledger,
  config: Config,
  grantId: number,
): Promise<Rerendered | GrantFault> {
  const [grant] = await ledger.grants({ id: grantId, limit: 1 });
  if (grant === undefined || (grant.state !== 'held' && grant.state !== 'refused')) {
    return { kind: 'moved-on', state: grant?.state ?? 'missing' };
  }
  const texts = await rerender(ledger, config, grant);
  return 'kind' in texts ? { grantId, fault: texts } : { kind: 'rendered', grant, texts };
}

async function rerender(
  ledger: Ledger,
  config: Config,
  grant: GrantRow,
): Promise<readonly string[] | RerenderFault> {
  // The vote is the same, whatever the config says.
  if (grant.reward === FORWARD) return grant.commands.map(({ command }) => command);
  const reward = namedRewards(config).find(({ name }) => name === grant.reward);
  if (reward === undefined) return { kind: 'reward-gone', reward: grant.reward };
  const { name } = reward;
  const { choice, filled, occasion } = grant;
  const commands = commandsFor(reward, choice);
  if (commands === null) return { kind: 'choice-gone', reward: name, choice: choice as Choice };
  const owed = grant.commands.length;
  if (commands.length > owed) return { kind: 'more-commands', reward: name, has: commands.length, owed };
  const { voteId } = grant;
  const vote = voteId === null ? withoutVote(grant) : (await ledger.votes({ id: voteId, limit: 1 }))[0];
  if (vote === undefined) return { kind: 'vote-missing', voteId: voteId ?? 0 };
  const placeholder = vote.player === null ? 'player' : 'userId';
  if (commands.some((command) => names(command, placeholder))) {
    return { kind: 'nothing-to-fill-in', reward: name, placeholder, voteId };
  }
  const userId = vote.player === null ? vote.recipient : null;
  const known = { ...filled, figures: { ...filled.figures, occasion } };
  const unknown = commands
    .flatMap(filledIn)
    .find((each) => !isKnown(each, known) || (voteId === null && isOfVote(each)));
  if (unknown !== undefined)
    return { kind: 'value-unknown', reward: name, placeholder: placeholderText(unknown) };
  return openCommands(commands, vote, userId, known, { labels: labelsOf(config), links: linksOf(config) });
}

/** What was not made for a vote names nothing but its player. */
const withoutVote = ({ player, recipient }: GrantRow) => ({ player, recipient, service: '', site: '' });

const isOfVote = (wanted: Filled): boolean => wanted.kind === 'word' && VOTE_ONLY.includes(wanted.name);

/** Values that depend on the votes before are those of the vote's time, so only those that were stored are known. */
function isKnown(wanted: Filled, { figures, random, nextVote }: FilledIn): boolean {
  if (wanted.kind === 'random') return random !== undefined;
  if (wanted.name === 'nextVote') return nextVote !== undefined;
  const name = FIGURE_PLACEHOLDERS.find((each) => each === wanted.name);
  return name === undefined || figures?.[name] !== undefined;
}

const placeholderText = (wanted: Filled): string =>
  wanted.kind === 'word' ? `{${wanted.name}}` : `{random ${wanted.range.from}..${wanted.range.to}}`;

/** Only a player has a UUID. */
const names = (command: string, placeholder: 'player' | 'userId'): boolean =>
  needs(command, placeholder) || (placeholder === 'player' && needs(command, 'uuid'));

/** Whether commands that have not run would be dropped. */
export const dropsAny = (grants: RerenderedGrants): boolean =>
  [...grants.values()].some(
    (rerendered) =>
      rerendered.kind === 'rendered' &&
      rerendered.grant.commands.slice(rerendered.texts.length).some(({ outcome }) => outcome !== 'delivered'),
  );

/** The change to one command: `ran` and `same` stay, `drop` is removed, `old` is replaced by the `new` after it. */
export interface CommandChange {
  readonly kind: 'ran' | 'drop' | 'same' | 'old' | 'new';
  readonly command: string;
}

/** @param to the player who is paid instead of the grant's own */
export function commandChanges(
  { grant, texts }: Extract<Rerendered, { kind: 'rendered' }>,
  to: PlayerName | null,
): readonly CommandChange[] {
  const player = to ?? grant.player;
  return grant.commands.flatMap(({ command, outcome }, position): readonly CommandChange[] => {
    if (outcome === 'delivered') return [{ kind: 'ran', command }];
    const text = texts[position];
    if (text === undefined) return [{ kind: 'drop', command }];
    const renewed = closeCommand(text, { player, uuid: null, now: null });
    if (renewed === command) return [{ kind: 'same', command }];
    return [
      { kind: 'old', command },
      { kind: 'new', command: renewed },
    ];
  });
}
