import { commonJs } from '../../core/common-js.ts';

/** The driver; its types are those of `better-sqlite3`. */
export const Sqlite = commonJs('better-sqlite3') as typeof import('better-sqlite3');
