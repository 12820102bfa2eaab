import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ABOUT, connected } from '../kit/connected.ts';
import { temporaryFolder } from '../support/folder.ts';

const EXAMPLES = join(import.meta.dirname, '../../docs/developers/examples');
const SECRET = 'whsec_of-the-game-server';

const hasJava = spawnSync('java', ['-version']).status === 0;

/** A receiver that runs, and a game server of kind http that posts to it. */
async function running(
  program: string,
  file: string,
  { secret = SECRET, folder = EXAMPLES }: { secret?: string; folder?: string } = {},
) {
  const child = spawn(program, [join(folder, file), '0', SECRET], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: string[] = [];
  const port = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.push(line);
      const [, found] = /^ready on port (\d+)$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  const url = `http://127.0.0.1:${port}/`;
  const server = await connected({
    kind: 'http',
    url,
    secret,
    answers: true,
    commandTimeout: '5m',
    commandPause: '0ms',
  });
  return { server, runs: () => said.filter((line) => line.startsWith('runs: ')) };
}

/** The last entries are where the function `runs` begins, and what ends the first command as a game does. */
const RECEIVERS = [
  [
    ...(['Node.js', 'node', 'command-receiver.mjs', true, 'const runs = (command) => {'] as const),
    (runs: string, outcome: string) =>
      `let tried = 0;\n${runs}\nif (tried++ === 0) return { outcome: '${outcome}' };`,
  ],
  [
    ...([
      'Java',
      'java',
      'CommandReceiver.java',
      hasJava,
      'private static String runs(String command) {',
    ] as const),
    (runs: string, outcome: string) =>
      `private static int tried = 0;\n${runs}\nif (tried++ == 0) return "{\\"outcome\\":\\"${outcome}\\"}";`,
  ],
] as const;

describe.each(RECEIVERS)('the sample receiver in %s', (_, program, file, isThere, runsBegin, endingFirst) => {
  test.skipIf(!isThere)('runs a command once, however often it is sent, and signs what it says', async () => {
    const { server, runs } = await running(program, file);
    const command = 'say "Ünïcode" \\ for Steve';
    const first = await server.run(command, command, ABOUT);
    expect(first).toMatchObject({ kind: 'delivered' });
    expect(await server.run(command, command, { ...ABOUT, attempt: 2 })).toEqual(first);
    await server.run(command, command, { ...ABOUT, position: 1 });
    await expect.poll(runs).toEqual([`runs: ${command}`, `runs: ${command}`]);
  });

  test.skipIf(!isThere).each(['player-offline', 'refused'] as const)(
    'runs a command that ended as %s when it is sent again',
    async (kind) => {
      const sample = readFileSync(join(EXAMPLES, file), 'utf8');
      const folder = temporaryFolder({ [file]: sample.replace(runsBegin, endingFirst(runsBegin, kind)) });
      const { server, runs } = await running(program, file, { folder });
      expect(await server.run('give Steve', 'give Steve', ABOUT)).toMatchObject({ kind });
      for (const attempt of [2, 3]) {
        const ending = await server.run('give Steve', 'give Steve', { ...ABOUT, attempt });
        expect(ending).toMatchObject({ kind: 'delivered' });
      }
      await expect.poll(runs).toEqual(['runs: give Steve']);
    },
  );

  test.skipIf(!isThere)('says who is online', async () => {
    const { server } = await running(program, file);
    expect(await server.presence()).toMatchObject({ kind: 'known', names: ['Steve'] });
  });

  test.skipIf(!isThere)('refuses a request with another secret', async () => {
    const { server, runs } = await running(program, file, { secret: 'another-secret' });
    expect(await server.run('say hi', 'say hi', ABOUT)).toEqual({
      kind: 'not-sent',
      reason: 'http-not-let-in',
    });
    expect(runs()).toEqual([]);
  });
});
