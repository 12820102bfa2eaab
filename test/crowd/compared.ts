import type { Looked, LookedGrant } from '../kit/ledger-file.ts';
import { TOKEN } from '../kit/vote.ts';
import { type CrowdSeen, recomputeCrowd } from './oracle/crowd.ts';
import type { CrowdConfig, CrowdEvent, CrowdHistory, RawParty, RawTop } from './oracle/written.ts';

/** A Teller to which the events of a history can happen. */
export interface Driven {
  /** Lets time pass until then. */
  passTo(at: number): Promise<void>;
  /** @returns for a vote, how it was answered. */
  apply(event: CrowdEvent): Promise<unknown>;
  seen(): Promise<CrowdSeen>;
  /** Lets it work until this is true, or as far as it gets. */
  settle(isReached: () => Promise<boolean>): Promise<void>;
  stop(): Promise<void>;
}

/** What the recomputation and Teller show differently, each after its sign, at the first event where they do. */
export async function firstDifference(
  history: CrowdHistory,
  start: (history: CrowdHistory) => Promise<Driven>,
): Promise<string[]> {
  const teller = await start(history);
  const compare = async (expected: CrowdSeen): Promise<string[]> => {
    const wanted = JSON.stringify(expected);
    await teller.settle(async () => JSON.stringify(await teller.seen()) === wanted);
    const seen = await teller.seen();
    return (['votes', 'grants', 'commands'] as const).flatMap((kind) => [
      ...without(expected[kind], seen[kind]).map((line) => `- ${line}`),
      ...without(seen[kind], expected[kind]).map((line) => `+ ${line}`),
    ]);
  };
  try {
    for (const [index, { event, before, after }] of recomputeCrowd(history).entries()) {
      await teller.passTo(event.at);
      const early = await compare(before);
      if (early.length > 0) return [`before event ${index}`, ...early];
      const answer = await teller.apply(event);
      if (event.kind === 'vote' && answer !== 'ok')
        throw new Error(`the vote of ${event.player} is answered with ${answer}`);
      const late = await compare(after);
      if (late.length > 0) return [`after event ${index}`, ...late];
    }
    return [];
  } finally {
    await teller.stop();
  }
}

/** What an operator types for an event. */
export async function wordsOf(
  event: Extract<CrowdEvent, { kind: 'void' | 'merged' }>,
  look: Looked,
): Promise<readonly string[]> {
  if (event.kind === 'merged') return ['players', 'merge', event.name, '--into', event.into, '--yes'];
  const { id } = (await look.votes())[event.vote] ?? { id: 0 };
  return ['votes', 'void', String(id), '--reason', 'forged', '--yes'];
}

/** What a ledger has of what the recomputation expects. */
export async function seenIn(look: Looked, commands: readonly string[]): Promise<CrowdSeen> {
  const [votes, grants] = [await look.votes(), await look.grants()];
  return {
    votes: votes.map(({ service, player, decision }) => `${service} ${player} ${decision}`),
    grants: grants.map(speltGrant).sort(),
    commands: commands.toSorted(),
  };
}

const OPEN: readonly string[] = ['pending', 'waiting', 'sending'];

function speltGrant({ reward, occasion, state, commands }: LookedGrant): string {
  const name = state === 'delivered' ? (commands[0]?.command.split(' ')[2] ?? '') : '';
  return [reward, occasion, OPEN.includes(state) ? 'waiting' : state, name].join(' | ');
}

/** The lines of the one list that the other does not have, or not as often. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** As operators write it. Commands say for which reward they are, and to whom. */
export const entriesOf = ({ timeZone, sites, rewards, party, tops }: CrowdConfig) => ({
  timeZone,
  sites: { ...sites, default: { ...sites.default, token: TOKEN } },
  rewards: rewards.map((reward) => ({ ...reward, commands: [`say ${reward.name} {player}`] })),
  ...(party.length > 0 ? { party: party.map(partyEntry) } : {}),
  ...(tops.length > 0 ? { tops: tops.map(topEntry) } : {}),
});

const partyEntry = (party: RawParty) => ({
  ...party,
  announceLeft: [],
  commands: [party.for === 'once' ? `say ${party.name}` : `say ${party.name} {player}`],
});

const topEntry = (top: RawTop) => ({
  ...top,
  prizes: Object.fromEntries(Object.keys(top.prizes).map((places) => [places, [`say ${top.name} {player}`]])),
});
