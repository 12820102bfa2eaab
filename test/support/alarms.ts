import { dirname } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AlarmsPayload } from '../../protocol/webhook/alarms.ts';
import { type AlarmsConfig, Secret } from '../../src/config/config.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { type AlarmSettings, Alarms, LOOK_MS } from '../../src/notify/alarms/alarms.ts';
import { recordFileOf } from '../../src/notify/alarms/record.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { FakeClock } from './fake-clock.ts';
import { freshLedger, record, rulesFor, THANKS } from './ledgers.ts';
import { loggedLines } from './logged-lines.ts';
import { arrival } from './votes.ts';

export const ALARMS_SECRET = 'the-secret-of-the-alarms';

/** A fake clock that knows when a look has ended. */
class LookClock extends FakeClock {
  looks = 0;

  override after(delayMs: number, callback: () => void): () => void {
    if (delayMs === LOOK_MS) this.looks++;
    return super.after(delayMs, callback);
  }

  /** Resolves when one more look has ended than before. */
  async lookAfter(looks: number): Promise<void> {
    while (this.looks <= looks) await new Promise((resolve) => setImmediate(resolve));
  }
}

export interface AlarmsStart extends Partial<AlarmSettings['watched']> {
  /** Left out: the config has no `alarms`. */
  readonly url?: string;
  readonly format?: AlarmsConfig['format'];
  readonly name?: string;
  readonly now?: string;
  /** A ledger that is open already. */
  readonly over?: { readonly ledger: Ledger; readonly file: string };
}

export const targetAt = (url: string, more: Partial<AlarmsConfig> = {}): AlarmsConfig => ({
  ...{ url: new Secret(url), format: 'json', secret: new Secret(ALARMS_SECRET), name: null },
  ...more,
});

/** Alarms over a real ledger, which post to a real receiver. Nothing is judged until the first `look`. */
export function startAlarms(start: AlarmsStart) {
  const { url, format = 'json', name, now, over, ...watched } = start;
  const { ledger, file } = over ?? freshLedger();
  const clock = new LookClock(now);
  const { log, lines } = loggedLines();
  const disk = { mib: 50_000 };
  const target = url === undefined ? null : targetAt(url, { format, name: name ?? null });
  const settings: AlarmSettings = {
    ...{ target, zone: 'UTC' },
    watched: { sites: [], gameServers: [], folder: dirname(file), ...watched },
  };
  const begin = (): Alarms => {
    const parts = { ledger, ledgerFile: file, clock, random: systemRandom, log };
    const begun = new Alarms({ ...parts, freeSpace: async () => disk.mib }, settings);
    onTestFinished(() => begun.close());
    return begun;
  };
  let alarms = begin();
  let isStarted = false;
  /** One look, or as many as fit into this time. */
  const look = async (ms = LOOK_MS): Promise<void> => {
    for (let left = ms; left > 0; left -= LOOK_MS) {
      const { looks } = clock;
      if (isStarted) clock.advance(LOOK_MS);
      else alarms.start();
      isStarted = true;
      await clock.lookAfter(looks);
    }
  };
  const restart = async (whileAway: () => void = () => {}): Promise<void> => {
    await alarms.close();
    whileAway();
    alarms = begin();
    isStarted = false;
  };
  /** A grant that is held, because the process died while its command was sent. */
  const hold = async (player = 'Steve'): Promise<void> => {
    await record(ledger, [arrival({ player, receivedAt: clock.now(), claim: null })], rulesFor(THANKS));
    const [grant] = await ledger.grants({ recipient: player, limit: 1 });
    const claim = { grantId: grant?.id ?? 0, position: 0, uuid: null, now: clock.now() };
    await ledger.claim({ ...claim, player });
    await ledger.settleInterrupted(clock.now());
  };
  return {
    ...{ ledger, clock, lines, disk, look, restart, hold, settings, recordFile: recordFileOf(file) },
    apply: (next: Partial<AlarmSettings>) => alarms.apply({ ...settings, ...next }),
    noteConfig: (news: Parameters<Alarms['noteConfig']>[0]) => alarms.noteConfig(news),
    close: () => alarms.close(),
  };
}

/** What began and what ended, by kind and subject. */
export const changesIn = (json: unknown): string[] => {
  const { data } = json as AlarmsPayload;
  const name = ({ alarm, subject }: { alarm: string; subject: string | null }): string =>
    subject === null ? alarm : `${alarm} ${subject}`;
  return [...data.began.map((one) => `+ ${name(one)}`), ...data.ended.map((one) => `- ${name(one)}`)];
};
