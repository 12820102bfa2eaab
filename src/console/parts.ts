import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Random } from '../core/random.ts';
import type { App } from '../main/app.ts';
import type { Metrics } from '../notify/metrics/metrics.ts';
import type { Control } from '../operator/control/control.ts';
import type { OnEnd } from '../platform/started.ts';
import type { PageEnv } from '../web/site.ts';
import type { Access } from './access/access.ts';
import type { Operator } from './access/operator.ts';
import type { PublicPage } from './public/server.ts';
import type { Typed } from './told.ts';

/** The running Teller, as pages see it. */
export type RunningTeller = Pick<
  App,
  | 'operatorChanged'
  | 'config'
  | 'ledger'
  | 'listener'
  | 'webhook'
  | 'gameServers'
  | 'pauses'
  | 'practiceServers'
  | 'recovery'
>;

/** What every page of the console is built from. */
export interface ConsoleParts {
  readonly teller: RunningTeller;
  readonly control: Omit<Control, 'close'>;
  readonly access: Access;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** null if nobody may read them. */
  readonly metrics: Metrics | null;
  /** Registers what ends with the console. */
  readonly onEnd: OnEnd;
  /** null: the config has none. */
  readonly publicPage: PublicPage | null;
  /** How commands are typed on this machine, with the config that Teller runs with. */
  readonly command: Typed;
}

export type ConsoleEnv = PageEnv<Operator>;
