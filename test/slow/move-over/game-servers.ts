import { answer, scripted } from '../../support/rcon.ts';

export type Payer = 'old side' | 'Teller';

/** With what each of them logs in. */
export const PASSWORDS = {
  'old side': 'password of the old side',
  Teller: 'password of Teller',
} as const satisfies Record<Payer, string>;

/** A vote's player and service, which no other vote of a test has. */
export const voteName = (player: string, service: string): string => `${player} for ${service}`;

export interface RecordedPayment {
  readonly payer: Payer;
  readonly vote: string;
  /** Which game server. */
  readonly server: number;
}

/** Game servers that know by the password of the login who pays, and pay only players who are on them. */
export async function recordedGameServers(count: number, host: string) {
  const payments: RecordedPayment[] = [];
  const online = Array.from({ length: count }, () => new Set<string>());
  const ports = await Promise.all(
    online.map((players, server) =>
      recordedGameServer(host, players, (payment) => payments.push({ ...payment, server })),
    ),
  );
  let joined = 0;
  return {
    ports,
    payments,
    /** Players join one server after another, once each. */
    join: (player: string): void => {
      if (online.some((players) => players.has(player))) return;
      online[joined++ % count]?.add(player);
    },
  };
}

/** @returns its port. */
async function recordedGameServer(
  host: string,
  players: ReadonlySet<string>,
  record: (payment: Omit<RecordedPayment, 'server'>) => void,
): Promise<number> {
  const payers = new Map<number, Payer>();
  const run = (command: string, payer: Payer | undefined): string => {
    if (command.startsWith('list'))
      return `There are ${players.size} of a max of 9999 players online: ${[...players].join(', ')}`;
    const [, vote, player] = /^pay ((.+) for .+)$/.exec(command) ?? [];
    if (vote === undefined || payer === undefined) return `Unknown command: ${command}`;
    if (!players.has(player ?? '')) return 'No player was found';
    record({ payer, vote });
    return `Paid ${vote}`;
  };
  const { port } = await scripted(({ id, type, body }, socket, connection) => {
    if (type === 2) return answer(socket, id, run(body, payers.get(connection)));
    if (type !== 3) return answer(socket, id, `Unknown request ${type.toString(16)}`);
    const payer = (['old side', 'Teller'] as const).find((each) => PASSWORDS[each] === body);
    if (payer !== undefined) payers.set(connection, payer);
    answer(socket, payer === undefined ? -1 : id, '', 2);
  }, host);
  return port;
}
