import { resolve } from 'node:path';
import { serveConsole } from '../commands/serve-console.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { Log } from '../core/log.ts';
import { NO_OBSERVER, type Observer } from '../core/observer.ts';
import { Problem } from '../core/problem.ts';
import type { ProblemCode } from '../core/problems.ts';
import { startApp } from '../main/app.ts';
import { environment } from '../main/environment.ts';
import { startControl } from '../operator/control/control.ts';
import { systemClock } from '../platform/clock.ts';
import { createLog } from '../platform/log.ts';
import { systemRandom } from '../platform/random.ts';
import { type OnEnd, started } from '../platform/started.ts';
import type { Address, CreateTeller, TellerOptions } from './api.ts';

export const openTeller: CreateTeller = async (options) => {
  const { app, ...rest } = await started((onEnd) => startParts(options, onEnd));
  return {
    ...rest,
    // A reload opens and closes it.
    get webhook() {
      return app.webhook === null ? null : placeOf(app.webhook);
    },
  };
};

const placeOf = ({ host, port }: Address): Address => ({ host, port });

/** Messages of the console name commands as an installed package has them. */
const command = (words: string): string => `teller ${words}`;

async function startParts(options: TellerOptions, onEnd: OnEnd) {
  const file = resolve(options.config);
  const load = (): Promise<Config> => loadConfig(file);
  const config = await load();
  const [clock, random] = [systemClock, systemRandom];
  const log = createLog(config.log.level, linesTo(options.log), 'json');
  const observer = observerOf(options, log);
  const app = await startApp(config, { ...environment(clock, random, log), observer });
  onEnd(() => app.close());
  const control = await startControl({ app, load, clock, log });
  onEnd(() => control.close());
  const parts = { teller: app, metrics: null, command, control, clock, random, log };
  const served = options.console === true ? await serveConsole(parts) : null;
  onEnd(() => served?.close());
  return {
    app,
    listener: placeOf(app.listener),
    consoleUrl: served?.url ?? null,
    failed: app.failed,
    reload: async () => {
      const reply = await control.reload();
      if (reply.kind === 'refused') throw new Problem(reply.code as ProblemCode, reply.sentence);
    },
  };
}

const linesTo = (write: TellerOptions['log'] = () => {}) => ({
  out: () => {},
  err: write,
  interactive: false,
});

function observerOf({ onVote }: TellerOptions, log: Log): Observer {
  if (onVote === undefined) return NO_OBSERVER;
  const recorded: Observer['recorded'] = ({ service, recipient, castAt, channel }, decision) => {
    try {
      const who = recipient.kind === 'player' ? recipient.player : recipient.key;
      onVote({ service, recipient: who, castAt, channel, decision });
    } catch (error) {
      // The vote is stored, and its sender has to hear that.
      log.error({ code: 'bug', error }, 'onVote has thrown an error');
    }
  };
  return { ...NO_OBSERVER, recorded };
}
