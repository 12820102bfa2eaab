import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { naming } from '../support/naming.ts';
import { startScript, teller } from '../support/processes.ts';

const CLI = join(import.meta.dirname, '../../src/commands/cli.ts');
const SECRET = 'whsec_for-this-test';

interface SinkReady {
  readonly sink: { readonly url: string };
}

test('the sink receives signed, repeated and forged deliveries from another process, and exits 0 after a signal', async () => {
  const folder = temporaryFolder({ 'hook.secret': `${SECRET}\n` });
  const receiver = await startScript<SinkReady>(
    CLI,
    ['webhook', 'sink', '--secret', 'file:hook.secret', '--json'],
    folder,
  );
  const { url } = receiver.ready.sink;
  const send = (...flags: string[]) => teller(['webhook', 'send', '--url', url, ...flags], folder);

  const signed = await send('--secret', 'file:hook.secret', '--event-id', 'e-1');
  expect(signed).toMatchObject({ code: 0, out: naming('e-1', '204') });
  expect((await send('--secret', 'file:hook.secret', '--event-id', 'e-1', '--attempt', '2')).code).toBe(0);
  expect((await send('--bad-signature', '--test')).code).toBe(0);
  expect((await send()).code).toBe(1);

  expect(await receiver.stop()).toBe(0);
  expect(receiver.log() + signed.out + signed.err).not.toContain(SECRET);
}, 30_000);
