import { dirname, sep } from 'node:path';
import { Problem } from '../../core/problem.ts';
import type { Host, Rights } from './host.ts';
import type { Program } from './unit.ts';

/** Folders that the unit hides from the service (ProtectHome, PrivateTmp). */
const HIDDEN = ['/home', '/root', '/run/user', '/tmp', '/var/tmp'];

/**
 * A service that starts with the machine must run only what root put there, and its user must be able to read that.
 * @throws Problem `service-unsafe`, `service-unreachable`
 */
export async function requireRootsProgram(program: Program, host: Host): Promise<void> {
  const paths = await pathsOf(program, host);
  for (const path of paths) {
    const rights = await host.rights(path);
    if (rights === null || rights.isLink) continue;
    if (writableByOthers(rights)) throw unsafe(path);
  }
  for (const path of paths) {
    const hidden = HIDDEN.find((folder) => path === folder || path.startsWith(`${folder}/`));
    const rights = await host.rights(path);
    if (hidden !== undefined) throw unreachable(path);
    if (rights !== null && !rights.isLink && (rights.mode & 0o004) === 0) throw unreachable(path);
  }
}

/** A link's own bits mean nothing: what it points to is checked where it is. */
const writableByOthers = ({ uid, gid, mode }: Rights): boolean =>
  uid !== 0 || (mode & 0o002) !== 0 || (gid !== 0 && (mode & 0o020) !== 0);

/** Node, everything that is installed with Teller, and every folder above either. */
async function pathsOf({ node, script }: Program, host: Host): Promise<string[]> {
  const installation = installationOf(script);
  const above = [node, script, installation].flatMap(withFoldersAbove);
  return [...new Set([...above, ...(await host.below(installation))])];
}

/** The outermost `node_modules`, where npm puts the package and those that it needs; otherwise the folder above `dist`. */
function installationOf(script: string): string {
  const parts = script.split(sep);
  const at = parts.indexOf('node_modules');
  return at === -1 ? dirname(dirname(script)) : parts.slice(0, at + 1).join(sep);
}

function withFoldersAbove(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...withFoldersAbove(parent)];
}

const unsafe = (path: string): Problem =>
  new Problem(
    'service-unsafe',
    `users other than root can write to ${path}, so they could change what the service runs. Install the package as root (\`npm install -g\`), or give the path to root and take the right to write from all others.`,
  );

const unreachable = (path: string): Problem =>
  new Problem(
    'service-unreachable',
    `the service's user cannot read ${path}. Install Node.js and the package where all users can read them, for example below /usr, and not in a home folder.`,
  );
