import type { Host, Rights } from '../../src/platform/service/host.ts';

export const NODE = '/usr/bin/node';
export const SCRIPT = '/usr/lib/node_modules/vote-teller/dist/cli.js';

const ROOTS: Rights = { uid: 0, gid: 0, mode: 0o755, isLink: false };

export interface FakeHost extends Host {
  /** Everything that was changed, in order. */
  readonly done: readonly string[];
  readonly files: Map<string, string>;
}

interface Facts extends Partial<Host> {
  readonly files?: Readonly<Record<string, string>>;
  /** What differs from a folder of root that all can read; null: there is nothing. */
  readonly rightsOf?: Readonly<Record<string, Partial<Rights> | null>>;
  readonly users?: Readonly<Record<string, number>>;
}

/** A machine with systemd, on which root installed Teller as a package, and on which nothing is really changed. */
export function fakeHost({ files: given = {}, rightsOf = {}, users = {}, ...other }: Facts = {}): FakeHost {
  const done: string[] = [];
  const files = new Map(Object.entries(given));
  const others: typeof rightsOf = { '/var/lib/teller': null, ...rightsOf };
  return {
    ...{ done, files, hasSystemd: true, uid: 0 },
    program: async () => ({ node: NODE, script: SCRIPT }),
    rights: async (path) => {
      const differs = others[path];
      return differs === null ? null : { ...ROOTS, ...differs };
    },
    below: async (folder) => [`${folder}/better-sqlite3/build/better_sqlite3.node`, `${folder}/.bin/teller`],
    userId: async (name) => users[name] ?? null,
    read: async (file) => files.get(file) ?? null,
    write: async (file, text) => {
      files.set(file, text);
      done.push(`write ${file}`);
    },
    remove: async (file) => {
      files.delete(file);
      done.push(`remove ${file}`);
    },
    run: async (command) => {
      done.push(command.join(' '));
    },
    ...other,
  };
}
