import type { Schema } from '../../sqlite/open.ts';
import { version1 } from './migrations/version-1.ts';
import { version2 } from './migrations/version-2.ts';
import { version3 } from './migrations/version-3.ts';
import { version4 } from './migrations/version-4.ts';
import { version5 } from './migrations/version-5.ts';
import { version6 } from './migrations/version-6.ts';
import { version7 } from './migrations/version-7.ts';
import { version8 } from './migrations/version-8.ts';
import { version9 } from './migrations/version-9.ts';
import { version10 } from './migrations/version-10.ts';
import { version11 } from './migrations/version-11.ts';
import { version12 } from './migrations/version-12.ts';
import { version13 } from './migrations/version-13.ts';
import { version14 } from './migrations/version-14.ts';
import { version15 } from './migrations/version-15.ts';
import { version16 } from './migrations/version-16.ts';
import { version17 } from './migrations/version-17.ts';
import { version18 } from './migrations/version-18.ts';
import { version19 } from './migrations/version-19.ts';
import { version20 } from './migrations/version-20.ts';
import { version21 } from './migrations/version-21.ts';
import { version22 } from './migrations/version-22.ts';
import { version23 } from './migrations/version-23.ts';
import { version24 } from './migrations/version-24.ts';
import { version25 } from './migrations/version-25.ts';
import { version26 } from './migrations/version-26.ts';
import { version27 } from './migrations/version-27.ts';
import { version28 } from './migrations/version-28.ts';
import { version29 } from './migrations/version-29.ts';
import { version30 } from './migrations/version-30.ts';
import { version31 } from './migrations/version-31.ts';

/** `TELL` */
const APPLICATION_ID = 0x54454c4c;

export const ledgerSchema: Schema = {
  applicationId: APPLICATION_ID,
  migrations: [
    version1,
    version2,
    version3,
    version4,
    version5,
    version6,
    version7,
    version8,
    version9,
    version10,
    version11,
    version12,
    version13,
    version14,
    version15,
    version16,
    version17,
    version18,
    version19,
    version20,
    version21,
    version22,
    version23,
    version24,
    version25,
    version26,
    version27,
    version28,
    version29,
    version30,
    version31,
  ],
};
