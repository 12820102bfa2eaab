import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { passwordFile } from '../../src/commands/listing-samples.ts';
import { SAMPLE_NAMES } from '../../src/listing/accounts/first-accounts.ts';
import { temporaryFolder } from '../support/folder.ts';
import { CRAFT, signedIn } from '../support/loop.ts';
import { CLI, compiled, startScript } from '../support/processes.ts';

const PRELOAD = pathToFileURL(compiled(join(import.meta.dirname, '../support/ending-thread.ts'))).href;

test('when the thread of its database ends by itself, the listing service answers the vote in flight with 500, ends with thread-ended, and has lost no answered vote', async () => {
  const folder = temporaryFolder();
  const start = (within: readonly string[] = []) =>
    startScript<{ listing: { url: string } }>(CLI, ['listing', '--port', '0', '--samples'], folder, within);
  const voter = async (url: string, name: string) => {
    const password = readFileSync(passwordFile(join(folder, 'data'), name), 'utf8').trim();
    return signedIn(url, name, password);
  };
  const listingIn = async (url: string) => {
    const { listings } = (await (await fetch(url, { headers: { accept: 'application/json' } })).json()) as {
      listings: { id: string; name: string; votes: number }[];
    };
    return listings.find(({ name }) => name === CRAFT)!;
  };
  const [first, second] = SAMPLE_NAMES.voters;

  const running = await start(['env', `NODE_OPTIONS=--import ${PRELOAD}`]);
  const { url } = running.ready.listing;
  const { id } = await listingIn(url);
  const statusOfVote = async (name: string, player: string) => {
    const person = await voter(url, name);
    await person.get(`/listings/${id}`);
    return (await person.post(`/listings/${id}/vote`, { player })).status;
  };
  expect(await statusOfVote(first, 'Steve')).toBe(303);
  expect(await statusOfVote(second, 'Doomed')).toBe(500);
  await running.ended();
  expect(running.process.exitCode).toBe(1);
  expect(running.log()).toContain('[thread-ended]');

  const again = await start();
  expect((await listingIn(again.ready.listing.url)).votes).toBe(1);
});
