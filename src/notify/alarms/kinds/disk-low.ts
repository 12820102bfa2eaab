import { LOW_MIB } from '../../../core/disk-space.ts';
import type { Seen } from '../alarm.ts';
import type { AlarmKind } from '../kind.ts';

type Facts = { readonly mib: number };

/** It is over only above this, so that files that come and go do not begin and end it again and again. */
const ENOUGH_MIB = 1.25 * LOW_MIB;

/** @param mib what is free; null: not known. */
function judgeDisk(mib: number | null): Seen<Facts> {
  if (mib === null) return { subject: null, state: 'unknown' };
  if (mib < LOW_MIB) return { subject: null, state: 'holds', since: null, facts: { mib } };
  return mib < ENOUGH_MIB
    ? { subject: null, state: 'unknown' }
    : { subject: null, state: 'over', facts: { mib } };
}

const shown = (mib: number): string => `${mib.toLocaleString('en')} MiB`;

export const diskLow: AlarmKind<Facts> = {
  code: 'disk-low',
  means: 'Less than 1 GiB is free on the disk of the ledger. Over when 1.25 GiB are free.',
  lastsMs: 0,
  watch:
    ({ freeSpace }) =>
    async ({ watched }) => [judgeDisk(await freeSpace(watched.folder))],
  began: ({ since, facts }, say) =>
    `The disk of the ledger has been nearly full since ${say(since)}: only ${shown(facts.mib)} are free.`,
  toDo: () => 'Free some space. When the disk is full, no vote can be stored.',
  ended: ({ facts }) => `The disk of the ledger has room again: ${shown(facts.mib)} are free.`,
};
