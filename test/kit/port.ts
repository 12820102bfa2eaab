/** The port of a Teller, to which senders of all sorts connect. It is noon on 1 June 2026. */
import { refusals } from '../../protocol/votifier/refusals.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { VotifierClient } from '../support/votifier-client.ts';
import { here } from './here.ts';
import { v1Block } from './vote.ts';

export type Port = Awaited<ReturnType<typeof openPort>>;

/** @param listener more keys of the config’s `listener`. @param more replaces keys at the top of the config. */
export async function openPort(listener: object = {}, more: object = {}) {
  const clock = new FakeClock('2026-06-01T12:00:00Z');
  const place = { host: '127.0.0.1', port: 0, ...listener };
  const teller = await here({ listener: place, rewards: [], ...more }, clock);
  const { port: number } = teller;
  /** Connects and reads the greeting. */
  const greeted = (from?: string) => VotifierClient.greeted(number, from);
  /** What `teller votes` has, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any of its fields
  const votes = async (): Promise<readonly any[]> =>
    (await teller.run('votes', '--limit', '10000', '--json')).json.toReversed();
  /** A v1 block with this text. */
  const blockOf = (text: string): Buffer => v1Block(text, teller.folder);
  const lines = () => teller.log.filter(({ code }) => Object.hasOwn(refusals, code));
  return {
    ...{ teller, clock, number, greeted, votes, blockOf },
    /** Writes this after the greeting. @returns what is answered, when the connection is closed. */
    sent: async (bytes: Buffer | string, from?: string): Promise<string> => {
      const client = await greeted(from);
      client.write(bytes);
      return client.untilClosed();
    },
    /** A v1 vote of this player on `List`. */
    block: (player = 'Steve') => blockOf(`VOTE\nList\n${player}\n192.0.2.1\n1780315200123\n`),
    /** The players of the votes, oldest first. */
    players: async (): Promise<readonly string[]> => (await votes()).map(({ player }) => player),
    /** The first refusal with each code in each ten seconds, as `code service sender`, without what is not known. */
    refused: (): readonly string[] =>
      lines().map(({ code, fields }) => {
        const { service, sender } = fields as { service?: string | null; sender?: string };
        return [code, service, sender].filter((part) => part != null && part !== '').join(' ');
      }),
    /** What the log says of them. */
    sentences: (): readonly string[] => lines().map(({ sentence }) => sentence),
  };
}
