import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { furnish } from '../kit/place.ts';
import { service } from '../kit/service.ts';
import { temporaryFolder } from '../support/folder.ts';

const EGG_FILE = join(import.meta.dirname, '../../docs/operators/panel/egg-teller.json');

/** A string that the panel decodes as a JSON object. */
const jsonObject = z.string().transform((text) => z.record(z.string(), z.unknown()).parse(JSON.parse(text)));

/** Environment variables that either panel sets itself; Pelican renames such a variable, Pterodactyl refuses it. */
const RESERVED =
  'P_SERVER_UUID,P_SERVER_ALLOCATION_LIMIT,SERVER_MEMORY,SERVER_IP,SERVER_PORT,ENV,HOME,USER,STARTUP,MODIFIED_STARTUP,SERVER_UUID,UUID,INTERNAL_IP,HOSTNAME,TERM,LANG,PWD,TZ,TIMEZONE';

/** What the importers of both panels read of a PTDL_v2 egg, with the stricter rule of the two models. */
const EGG = z.object({
  meta: z.object({ version: z.literal('PTDL_v2'), update_url: z.string().nullable() }),
  name: z.string().min(1).max(191),
  author: z.email(),
  description: z.string().nullable(),
  features: z.array(z.string()).nullable(),
  docker_images: z
    .record(
      z.string(),
      z
        .string()
        .max(191)
        .regex(/^[\w#./\- ]*\|?~?[\w./\-:@ ]*$/),
    )
    .refine((images) => Object.keys(images).length > 0),
  file_denylist: z.array(z.string()),
  startup: z.string().min(1),
  config: z.object({ files: jsonObject, startup: jsonObject, logs: jsonObject, stop: z.string().max(191) }),
  scripts: z.object({
    installation: z.object({ script: z.string(), container: z.string(), entrypoint: z.string() }),
  }),
  variables: z.array(
    z.object({
      name: z.string().min(1).max(191),
      description: z.string(),
      env_variable: z
        .string()
        .regex(/^\w{1,191}$/)
        .refine((name) => !RESERVED.split(',').includes(name)),
      default_value: z.string(),
      user_viewable: z.boolean(),
      user_editable: z.boolean(),
      rules: z.string().min(1),
      field_type: z.literal('text'),
    }),
  ),
});

const egg = EGG.parse(JSON.parse(readFileSync(EGG_FILE, 'utf8')));
const { script, container } = egg.scripts.installation;

test('the panel egg installs and runs on the same major version of Node, which the package allows', () => {
  const majors = [container, ...Object.values(egg.docker_images)].map(
    (image) => /:\D*(\d+)/.exec(image)?.[1],
  );
  expect(majors).toEqual(['22', '22']);
  expect(manifest.engines.node).toBe('>=20.19');
});

test('the panel egg needs one port, which the panel writes into the config; no other is opened to the outside', () => {
  expect(egg.config.files).toEqual({
    'config.json': { parser: 'json', find: { 'listener.port': '{{server.build.default.port}}' } },
  });
  expect(egg.variables.map(({ env_variable }) => env_variable)).toEqual(['TELLER_PACKAGE']);
});

test('the panel egg is done at the ready line, and not before', async () => {
  const { config } = furnish(temporaryFolder(), { log: { format: 'json' } });
  const { out, err, stop } = await service(['run', '--config', config]);
  await stop();
  const done = z.string().parse(egg.config.startup.done);
  expect(out.filter((line) => line.includes(done))).toHaveLength(1);
  expect(err.join('\n')).not.toContain(done);
});

test('the panel egg stops with a line that Teller reads, after which it finishes what is in progress', async () => {
  const { config } = furnish(temporaryFolder());
  const stream = new PassThrough();
  const [, flags = ''] = egg.startup.split(' run ');
  const { ended, err } = await service(['run', ...flags.split(' '), '--config', config], {
    input: () => stream,
  });
  stream.end(`${egg.config.stop}\n`);
  expect(await ended).toBe(0);
  expect(err.join('\n')).toContain('"code":"ending"');
});

/** Runs the script with /mnt/server as a temporary folder and programs that only say how they were called. */
function install(files: Readonly<Record<string, string>>, pack: string) {
  const server = temporaryFolder(files);
  const bin = temporaryFolder({
    npm: `#!/bin/sh\necho npm "$@"\n`,
    node: `#!/bin/sh\necho node "$@"\necho '{}' > config.json\n`,
  });
  for (const name of ['npm', 'node']) chmodSync(join(bin, name), 0o755);
  const env = { PATH: `${bin}:/usr/bin:/bin`, TELLER_PACKAGE: pack };
  const given = ['-c', script.replaceAll('/mnt/server', server)];
  return { server, ...spawnSync('bash', given, { env, encoding: 'utf8' }) };
}

test('its install script installs the uploaded file and creates the first config', () => {
  const { status, stdout, server } = install({ 'vote-teller.tgz': '' }, 'vote-teller.tgz');
  expect(status).toBe(0);
  expect(stdout.split('\n').slice(0, 2)).toEqual([
    'npm install --no-save --no-audit --no-fund --omit=dev ./vote-teller.tgz',
    'node node_modules/vote-teller/dist/cli.js run --typed',
  ]);
  expect(existsSync(join(server, 'config.json'))).toBe(true);
});

test('its install script keeps an existing config', () => {
  const { status, stdout, server } = install({ 'config.json': 'mine' }, 'https://a.example/t.tgz');
  expect([status, stdout]).toEqual([
    0,
    'npm install --no-save --no-audit --no-fund --omit=dev https://a.example/t.tgz\n',
  ]);
  expect(readFileSync(join(server, 'config.json'), 'utf8')).toBe('mine');
});

test('its install script says what to upload where the file is missing, and fails', () => {
  const { status, stdout } = install({}, 'vote-teller.tgz');
  expect([status, stdout]).toEqual([1, expect.stringContaining('upload')]);
});
