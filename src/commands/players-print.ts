import { isoTime } from '../core/instant.ts';
import type {
  BalanceRow,
  PlayerChange,
  PlayerChangeKind,
  PlayerNameRow,
  PlayerRow,
} from '../ledger/ledger.ts';
import type { Terminal } from '../platform/terminal.ts';
import { BALANCE_WORDS } from './import-history.ts';

/** For scripts; times are ISO 8601. */
export const playerJson = ({ names, changes, balances, ...player }: PlayerRow) => ({
  names: names.map(({ givenUpAt, ...name }) => ({
    ...name,
    givenUpAt: givenUpAt === null ? null : isoTime(givenUpAt),
  })),
  ...player,
  balances: balances.map(({ asOf, ...balance }) => ({ ...balance, asOf: isoTime(asOf) })),
  changes: changes.map(({ at, ...change }) => ({ ...change, at: isoTime(at) })),
});

/** The present owner of a name first, then those who had it before. */
export function printPlayers(terminal: Terminal, players: readonly PlayerRow[]): void {
  for (const [at, player] of players.entries()) {
    if (at > 0) terminal.out('');
    for (const line of linesOf(player)) terminal.out(line);
  }
}

function linesOf(player: PlayerRow): readonly string[] {
  const { names, paidAs, votes, passed, balances, importedUuids, hints, changes } = player;
  const first = names[0]?.name ?? '';
  return [
    `${paidAs ?? first}: ${votes === 1 ? '1 vote' : `${votes} votes`} in totals`,
    ...names.map(nameLine),
    ...(paidAs === null
      ? ['  paid to: nobody, until a game server shows the UUID under another name']
      : [`  paid to: ${paidAs}`]),
    ...balances.map(balanceLine),
    ...passed.map((each) => passedLine(each, paidAs ?? first)),
    ...importedUuids.map(
      ({ uuid, source, name }) => `  imported from ${source} for ${name}: UUID ${uuid}, which joins nothing`,
    ),
    ...hints.map((uuid) => `  a vote named the UUID ${uuid}, which joins nothing`),
    ...changes.map(changeLine),
  ];
}

function nameLine({ name, givenUpAt, onlineUuid, floodgateUuid }: PlayerNameRow): string {
  const uuids = [onlineUuid, floodgateUuid].filter((uuid) => uuid !== null);
  const seen = uuids.length === 0 ? '' : `, UUID ${uuids.join(' and ')}`;
  const gone = givenUpAt === null ? '' : `, another player’s since ${isoTime(givenUpAt)}`;
  return `  name: ${name}${seen}${gone}`;
}

function balanceLine({ name, source, asOf, what, stated, counted }: BalanceRow): string {
  const rest =
    counted === null || counted === stated ? '' : `, ${counted} of them not in the ledger as votes`;
  return `  imported from ${source} for ${name}, as of ${isoTime(asOf)}: ${stated} ${BALANCE_WORDS[what]}${rest}`;
}

const passedLine = ({ reward, occasion }: PlayerRow['passed'][number], player: string): string =>
  `  reached elsewhere, not paid here: ${reward} for ${occasion}; \`teller reward ${reward} --player ${player} --occasion "${occasion}"\` pays it`;

const KINDS: Readonly<Record<PlayerChangeKind, string>> = {
  joined: 'joined, as shown by the game server',
  merged: 'joined by',
  split: 'split by',
  'name-taken': 'given up to another player, as shown by the game server',
  'name-back': 'had again, as shown by the game server',
  forgotten: 'forgotten by',
  imported: 'imported,',
};

const changeLine = ({ kind, name, at, by }: PlayerChange): string =>
  `  ${isoTime(at)}: ${name} ${KINDS[kind]} ${by}`;
