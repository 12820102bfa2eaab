import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hashOfToken } from '../../../src/listing/store/api-token.ts';
import { newToken } from '../../../src/listing/store/tokens.ts';
import { systemRandom } from '../../../src/platform/random.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { KINDS, listingService, MINUTE } from '../listing-service.ts';

const DRAWN = { now: 0, random: systemRandom };

const GAMES = KINDS.filter((kind) => kind !== 'bot');

describe('a token', () => {
  test('NS-36: is unique, and consists of vl_ and 32 random bytes in base 62', async () => {
    const service = listingService();
    const listing = await service.listing();
    const tokens = [];
    for (let made = 0; made < 50; made++) tokens.push(await service.token(listing));
    for (const token of tokens) expect(token).toMatch(/^vl_[0-9A-Za-z]{43}$/);
    expect(new Set(tokens).size).toBe(50);
  });

  test('AU-15: is stored only as its SHA-256, and the list shows no part of it', async () => {
    const file = join(temporaryFolder(), 'listing.db');
    const service = listingService({ file });
    const { listing, token } = await service.owner('bot');
    await service.client.get('/webhooks/stats', { token });
    expect(JSON.stringify(service.store.tokens.list(listing.id))).not.toContain(token.slice(3));
    const stored = service.database.prepare('SELECT hash FROM tokens').pluck().get();
    expect(stored).toEqual(hashOfToken(token));
    for (const part of [file, `${file}-wal`]) expect(readFileSync(part).includes(token.slice(3))).toBe(false);
  });

  test('NS-35: is listed with its name, its scopes and when it was last used', async () => {
    const service = listingService();
    const listing = await service.listing('bot');
    const { store, clock } = service;
    const createdAt = clock.now();
    const used = await service.token(listing, 'votes:read');
    clock.advance(1);
    await service.createToken(listing, 'webhooks:write', 'stats:write');
    clock.advance(5 * MINUTE);
    await service.client.get('/webhooks/stats', { token: used });
    const entry = { id: expect.any(String), name: 'a token' };
    expect(store.tokens.list(listing.id)).toEqual([
      { ...entry, scopes: ['votes:read'], createdAt, lastUsedAt: clock.now() },
      { ...entry, scopes: ['stats:write', 'webhooks:write'], createdAt: createdAt + 1, lastUsedAt: null },
    ]);
  });

  test('NS-35: never expires', async () => {
    const service = listingService();
    const { token } = await service.owner();
    service.clock.advance(3650 * 24 * 60 * MINUTE);
    expect((await service.client.get('/webhooks/stats', { token })).status).toBe(200);
  });

  test('AU-16: is replaced by rotation: the new one has the same scopes, the old one stops working', async () => {
    const service = listingService();
    const { store } = service;
    const listing = await service.listing();
    const { id, token: old } = await service.createToken(listing, 'votes:read');
    const token = await service.rotate(listing, id);
    expect((await service.client.get('/webhooks/stats', { token })).status).toBe(200);
    expect((await service.client.get('/webhooks/stats', { token: old })).code).toBe('INVALID_TOKEN');
    expect(store.tokens.list(listing.id)).toMatchObject([{ id, scopes: ['votes:read'] }]);
  });

  test('AU-16: can be rotated and revoked only for its own listing', async () => {
    const service = listingService();
    const { store, clock } = service;
    const { id, token } = await service.createToken(await service.listing());
    const other = await service.listing('bot');
    expect(await store.changes.rotateToken(other.id, id, hashOfToken('another'))).toBe(false);
    expect(await store.changes.revokeToken(other.id, id, clock.now())).toBe(false);
    expect((await service.client.get('/webhooks/stats', { token })).status).toBe(200);
  });

  test('NS-35: stops working when it is revoked, is no longer listed and cannot be rotated', async () => {
    const service = listingService();
    const { store, clock } = service;
    const listing = await service.listing();
    const { id, token } = await service.createToken(listing);
    expect(await store.changes.revokeToken(listing.id, id, clock.now())).toBe(true);
    expect((await service.client.get('/webhooks/stats', { token })).code).toBe('INVALID_TOKEN');
    expect(store.tokens.list(listing.id)).toEqual([]);
    expect(await store.changes.rotateToken(listing.id, id, hashOfToken('another'))).toBe(false);
  });
});

describe('scopes', () => {
  test.each(GAMES)('AU-12: a %s listing cannot have stats:write, alone or among others', async (kind) => {
    const listing = await listingService().listing(kind);
    for (const wanted of [['stats:write'], ['votes:read', 'stats:write']] as const) {
      expect(newToken(listing, 'a token', wanted, DRAWN)).toEqual({ kind: 'scopes-not-allowed' });
    }
  });

  test('AU-12: stats:write for a game server is also refused by the database', async () => {
    const service = listingService();
    const { id } = await service.listing('roblox');
    const insert = service.database.prepare(
      'INSERT INTO tokens (id, listing_id, name, hash, scopes, created_at) VALUES (?, ?, ?, ?, ?, 0)',
    );
    expect(() => insert.run('t', id, 'forged', Buffer.alloc(32), '["votes:read","stats:write"]')).toThrow(
      'a game listing reports no statistics',
    );
  });

  test.each(GAMES)('AU-13: a token of a %s listing can have votes:read and webhooks:write', async (kind) => {
    const service = listingService();
    const { listing, token } = await service.owner(kind, 'votes:read', 'webhooks:write');
    expect(service.store.tokens.list(listing.id)[0]?.scopes).toEqual(['votes:read', 'webhooks:write']);
    const body = { webhookUrl: 'https://example.com/' };
    expect((await service.client.get('/webhooks/votes', { token })).status).toBe(200);
    expect((await service.client.post('/webhooks/register', { token, body })).status).toBe(200);
  });

  test('a token needs at least one scope', async () => {
    const listing = await listingService().listing('bot');
    expect(newToken(listing, 'a token', [], DRAWN)).toEqual({ kind: 'scopes-not-allowed' });
  });
});
