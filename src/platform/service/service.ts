import { Problem } from '../../core/problem.ts';
import type { Host } from './host.ts';
import { requireRootsProgram } from './program-rights.ts';
import { type Program, STATE_FOLDER, UNIT, UNIT_FILE, UNIT_MARK, unitText } from './unit.ts';

/** One change to the machine, in the order in which it is made. */
export type Step =
  | { readonly kind: 'run'; readonly command: readonly [string, ...string[]] }
  | { readonly kind: 'write'; readonly file: string; readonly text: string; readonly replaces: boolean }
  | { readonly kind: 'remove'; readonly file: string };

/** @throws Problem `service-clone` */
export async function serviceUnit(host: Host, user: string): Promise<string> {
  return unitText(await programOf(host), user);
}

/**
 * What installing the service changes. Nothing is changed yet.
 * @throws Problem `service-unsupported`, `service-not-root`, `service-clone`, `service-unsafe`, `service-unreachable`,
 * `service-in-the-way`
 */
export async function planInstall(host: Host, user: string): Promise<readonly Step[]> {
  requireRootAndSystemd(host);
  const program = await programOf(host);
  await requireRootsProgram(program, host);
  const unit = await ownUnit(host);
  const uid = await host.userId(user);
  await requireOwnState(host, user, uid);
  return [
    ...(uid === null ? [run('useradd', ...USERADD, user)] : []),
    { kind: 'write', file: UNIT_FILE, text: unitText(program, user), replaces: unit !== null },
    run('systemctl', 'daemon-reload'),
    run('systemctl', 'enable', UNIT),
    run('systemctl', 'restart', UNIT), // starts it if it does not run
  ];
}

/**
 * What removing the service changes. The user, the config and the data stay.
 * @throws Problem `service-unsupported`, `service-not-root`, `service-missing`, `service-in-the-way`
 */
export async function planRemove(host: Host): Promise<readonly Step[]> {
  requireRootAndSystemd(host);
  if ((await ownUnit(host)) === null) {
    throw new Problem('service-missing', `there is no ${UNIT_FILE}, so there is no service to remove`);
  }
  return [
    run('systemctl', 'disable', '--now', UNIT),
    { kind: 'remove', file: UNIT_FILE },
    run('systemctl', 'daemon-reload'),
  ];
}

/** Makes the changes. @throws Problem `service-failed`, `data-unwritable`; the steps before stay done. */
export async function takeSteps(host: Host, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'run') await host.run(step.command);
    else if (step.kind === 'write') await host.write(step.file, step.text);
    else await host.remove(step.file);
  }
}

const USERADD = [
  '--system',
  '--user-group',
  '--no-create-home',
  '--home-dir',
  STATE_FOLDER,
  '--shell',
  '/usr/sbin/nologin',
];

const run = (...command: [string, ...string[]]): Step => ({ kind: 'run', command });

function requireRootAndSystemd(host: Host): void {
  if (!host.hasSystemd) {
    throw new Problem(
      'service-unsupported',
      'systemd does not manage the services of this machine; docs/operators/service.md says what to do elsewhere',
    );
  }
  if (host.uid !== 0) {
    throw new Problem('service-not-root', 'only root can change the services of this machine; use sudo');
  }
}

async function programOf(host: Host): Promise<Program> {
  const program = await host.program();
  if (program !== null) return program;
  throw new Problem(
    'service-clone',
    'a clone does not run as a service; install the package (`npm pack`, then `npm install -g` with its file) and type `teller service` there',
  );
}

/** The unit that is there; null if there is none. @throws Problem `service-in-the-way` */
async function ownUnit(host: Host): Promise<string | null> {
  const text = await host.read(UNIT_FILE);
  if (text === null || text.startsWith(`${UNIT_MARK}\n`)) return text;
  throw new Problem(
    'service-in-the-way',
    `${UNIT_FILE} was not written by \`teller service install\`, so it is left as it is. Move it away first.`,
  );
}

/** systemd gives a state folder, with everything in it, to the service's user. No owner is changed here. */
async function requireOwnState(host: Host, user: string, uid: number | null): Promise<void> {
  const rights = await host.rights(STATE_FOLDER);
  if (rights === null || rights.uid === uid) return;
  throw new Problem(
    'service-in-the-way',
    `${STATE_FOLDER} exists and does not belong to the user ${user}; systemd would give all files in it to that user. Move it away, or change its owner yourself.`,
  );
}
