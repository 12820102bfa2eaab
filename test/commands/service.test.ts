import { describe, expect, test } from 'vitest';
import { serviceCommand } from '../../src/commands/service.ts';
import { Problem } from '../../src/core/problem.ts';
import { systemHost } from '../../src/platform/service/host.ts';
import { STATE_FOLDER, UNIT_FILE, unitText } from '../../src/platform/service/unit.ts';
import { type FakeHost, fakeHost, NODE, SCRIPT } from '../service/fake-host.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { naming } from '../support/naming.ts';
import { runCommand } from './run-command.ts';

const UNIT = unitText({ node: NODE, script: SCRIPT }, 'teller');
const INSTALLED = { files: { [UNIT_FILE]: UNIT } };

/** @param answer what the person at the terminal answers; null: there is no terminal */
function service(host: FakeHost, words: readonly string[], answer: boolean | null = null) {
  const terminal = fakeTerminal(answer !== null);
  return runCommand(
    serviceCommand(terminal, host, async () => answer === true),
    terminal,
    words,
  );
}

async function expectRefused(
  host: FakeHost,
  words: readonly string[],
  code: string,
  exit = 1,
): Promise<void> {
  const ran = await service(host, words, true);
  expect(ran).toMatchObject({ exit, err: naming(`[${code}]`) });
  expect(host.done).toEqual([]);
}

describe('with --json', () => {
  test('the unit, and what install and remove have done, are values', async () => {
    const printed = await service(fakeHost(), ['print', '--json']);
    expect(JSON.parse(printed.out)).toEqual({ file: UNIT_FILE, unit: UNIT });
    const host = fakeHost();
    const installed = await service(host, ['install', '--yes', '--json']);
    const kinds = (out: string) =>
      (JSON.parse(out) as { steps: { kind: string }[] }).steps.map(({ kind }) => kind);
    expect(kinds(installed.out)).toEqual(['run', 'write', 'run', 'run', 'run']);
    const removed = await service(host, ['remove', '--yes', '--json']);
    expect(kinds(removed.out)).toEqual(['run', 'remove', 'run']);
  });
});

describe('service print', () => {
  test('prints the unit and changes nothing, without root or systemd', async () => {
    const host = fakeHost({ hasSystemd: false, uid: 1000 });
    const { exit, out } = await service(host, ['print']);
    expect([exit, `${out}\n`, host.done]).toEqual([0, UNIT, []]);
  });

  test('takes another user', async () => {
    const { out } = await service(fakeHost(), ['print', '--user', 'votes']);
    expect(out.split('\n')).toEqual(expect.arrayContaining(['User=votes', 'Group=votes']));
  });

  test.each(['root', 'two words', 'x\nUser=root'])('refuses the user %j as usage', async (user) => {
    await expectRefused(fakeHost(), ['print', '--user', user], 'usage', 2);
  });

  test('in a clone is service-clone', async () => {
    await expectRefused(fakeHost({ program: systemHost(true).program }), ['print'], 'service-clone');
  });
});

describe('service install', () => {
  test('creates the user and the unit, and starts it', async () => {
    const host = fakeHost();
    expect(await service(host, ['install', '--yes'])).toMatchObject({ exit: 0 });
    expect(host.files.get(UNIT_FILE)).toBe(UNIT);
    expect(host.done).toEqual([
      'useradd --system --user-group --no-create-home --home-dir /var/lib/teller --shell /usr/sbin/nologin teller',
      `write ${UNIT_FILE}`,
      'systemctl daemon-reload',
      'systemctl enable teller.service',
      'systemctl restart teller.service',
    ]);
  });

  test('shows each step and the whole unit before it asks', async () => {
    const host = fakeHost();
    const { exit, err } = await service(host, ['install'], false);
    expect(exit).toBe(1);
    expect(err).toEqual(
      naming('run: useradd --system', `create: ${UNIT_FILE}`, '    User=teller', '[not-confirmed]'),
    );
    expect(host.done).toEqual([]);
  });

  test('asks a person, and does it after yes', async () => {
    const host = fakeHost();
    expect(await service(host, ['install'], true)).toMatchObject({ exit: 0 });
    expect(host.done).toHaveLength(5);
  });

  test('without a terminal and --yes is usage', async () => {
    const host = fakeHost();
    expect(await service(host, ['install'])).toMatchObject({ exit: 2, err: naming('[usage]', '--yes') });
    expect(host.done).toEqual([]);
  });

  test('after an update replaces the unit, keeps the user and its data, and starts the new program', async () => {
    const rightsOf = { [STATE_FOLDER]: { uid: 990, gid: 990, mode: 0o700 } };
    const host = fakeHost({ ...INSTALLED, rightsOf, users: { teller: 990 } });
    const { err } = await service(host, ['install', '--yes']);
    expect(err).toEqual(naming(`replace: ${UNIT_FILE}`));
    expect(host.done[0]).toBe(`write ${UNIT_FILE}`);
  });

  test('never changes an owner', async () => {
    const host = fakeHost();
    await service(host, ['install', '--yes']);
    expect(host.done.join('\n')).not.toMatch(/chown|chmod|chgrp/);
  });

  test.each([
    ['the program', SCRIPT, { uid: 1000 }],
    ['Node', NODE, { mode: 0o777 }],
    ['a folder above the program', '/usr/lib', { gid: 50, mode: 0o775 }],
    ['the root folder', '/', { mode: 0o757 }],
    ['a folder where users may only add', '/usr', { mode: 0o1777 }],
    ['a package that it loads', '/usr/lib/node_modules/better-sqlite3/build/better_sqlite3.node', { uid: 7 }],
  ])('is service-unsafe where others than root can write to %s', async (_, path, rights) => {
    const host = fakeHost({ rightsOf: { [path]: rights } });
    await expectRefused(host, ['install', '--yes'], 'service-unsafe');
  });

  test('allows a link, whose own rights mean nothing, and what the group of root can write to', async () => {
    const rightsOf = {
      '/usr/lib/node_modules/.bin/teller': { mode: 0o777, isLink: true },
      '/usr/lib': { mode: 0o775 },
    };
    expect(await service(fakeHost({ rightsOf }), ['install', '--yes'])).toMatchObject({ exit: 0 });
  });

  test('is service-unreachable for a program that only root can read', async () => {
    const host = fakeHost({ rightsOf: { '/usr/lib/node_modules': { mode: 0o750 } } });
    await expectRefused(host, ['install', '--yes'], 'service-unreachable');
  });

  test.each(['/root/.nvm/node', '/home/node', '/tmp/node'])('is service-unreachable for %s', async (node) => {
    const host = fakeHost({ program: async () => ({ node, script: SCRIPT }) });
    await expectRefused(host, ['install', '--yes'], 'service-unreachable');
  });

  test('is service-in-the-way where the data folder belongs to another user', async () => {
    const host = fakeHost({ rightsOf: { [STATE_FOLDER]: {} }, users: { teller: 990 } });
    await expectRefused(host, ['install', '--yes'], 'service-in-the-way');
  });

  test('is service-failed if a step fails, and takes no step after it', async () => {
    const host: FakeHost = fakeHost({
      run: async (command) => {
        if (command[1] === 'enable') throw new Problem('service-failed', 'no');
      },
    });
    expect(await service(host, ['install', '--yes'])).toMatchObject({
      exit: 1,
      err: naming('[service-failed]'),
    });
    expect(host.done).toEqual([`write ${UNIT_FILE}`]);
  });
});

describe('service remove', () => {
  test('stops the service and removes its unit, and nothing else', async () => {
    const host = fakeHost(INSTALLED);
    expect(await service(host, ['remove', '--yes'])).toMatchObject({ exit: 0, out: naming(STATE_FOLDER) });
    expect(host.done).toEqual([
      'systemctl disable --now teller.service',
      `remove ${UNIT_FILE}`,
      'systemctl daemon-reload',
    ]);
  });

  test('asks a person first', async () => {
    const host = fakeHost(INSTALLED);
    expect(await service(host, ['remove'], false)).toMatchObject({ err: naming('[not-confirmed]') });
    expect(host.done).toEqual([]);
  });

  test('without a service is service-missing', async () => {
    await expectRefused(fakeHost(), ['remove', '--yes'], 'service-missing');
  });
});

describe.each(['install', 'remove'])('service %s', (word) => {
  test('without systemd is service-unsupported', async () => {
    await expectRefused(
      fakeHost({ ...INSTALLED, hasSystemd: false }),
      [word, '--yes'],
      'service-unsupported',
    );
  });

  test('by another user than root is service-not-root', async () => {
    await expectRefused(fakeHost({ ...INSTALLED, uid: 1000 }), [word, '--yes'], 'service-not-root');
  });

  test('leaves a unit that somebody else wrote, as service-in-the-way', async () => {
    const files = { [UNIT_FILE]: '[Service]\nExecStart=/srv/teller\n' };
    await expectRefused(fakeHost({ files }), [word, '--yes'], 'service-in-the-way');
  });
});
