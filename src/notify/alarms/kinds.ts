import type { AlarmKind } from './kind.ts';
import { clockDoubtful } from './kinds/clock-doubtful.ts';
import { configNewer } from './kinds/config-newer.ts';
import { diskLow } from './kinds/disk-low.ts';
import { gameServerAway } from './kinds/game-server-away.ts';
import { grantsHeld } from './kinds/grants-held.ts';
import { siteSilent } from './kinds/site-silent.ts';

/** In the order in which a message names them. */
export const alarmKinds: readonly AlarmKind[] = [
  diskLow,
  clockDoubtful,
  gameServerAway,
  siteSilent,
  grantsHeld,
  configNewer,
];

export const kindOfAlarm = (code: string): AlarmKind | undefined =>
  alarmKinds.find((kind) => kind.code === code);
