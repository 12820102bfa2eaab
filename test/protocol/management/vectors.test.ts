import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  authorizationOf,
  encodeRequest,
  type Received,
  readReceived,
} from '../../../protocol/management/client.ts';
import { LIST_METHOD } from '../../../protocol/management/message.ts';
import { readPlayers } from '../../../protocol/management/players.ts';
import {
  encodeMethodUnknown,
  encodeNotice,
  encodePlayers,
  type Request,
  readRequests,
} from '../../../protocol/management/server.ts';
import type { Vector } from '../../support/vectors.ts';

interface Texts<Expected> extends Vector {
  readonly text: string;
  readonly expected: readonly Expected[];
}

const file = new URL('../../../protocol/vectors/management.json', import.meta.url);
const { vectors, requests } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly vectors: readonly Texts<Received>[];
  readonly requests: readonly Texts<Request>[];
};

describe('a client reads', () => {
  it.each(vectors)('$clause $name: $why', ({ text, expected }) => {
    expect(readReceived(text)).toEqual(expected);
  });
});

describe('a server reads', () => {
  it.each(requests)('$clause $name: $why', ({ text, expected }) => {
    expect(readRequests(text)).toEqual(expected);
  });
});

const JEB = { name: 'jeb_', uuid: '853c80ef-3c37-49fd-aa49-938b674adae6' };
const BEDROCK = { name: '.Bedrock', uuid: null };
const textOf = (name: string): string => vectors.find((vector) => vector.name === name)?.text ?? '';

describe('what is written', () => {
  it('is what the vectors have, byte for byte', () => {
    expect(encodeRequest(1, LIST_METHOD)).toBe(requests[0]?.text);
    expect(encodePlayers(1, [JEB])).toBe(textOf('list'));
    expect(encodeMethodUnknown(1, 'minecraft:foo/bar')).toBe(textOf('method-unknown'));
    expect(encodeNotice('joined', JEB, 'new')).toBe(textOf('joined'));
    expect(encodeNotice('left', JEB, 'new')).toBe(textOf('left'));
    expect(encodeNotice('joined', JEB, 'old')).toBe(textOf('joined-old'));
    expect(encodeNotice('left', JEB, 'old')).toBe(textOf('left-old'));
    expect(encodeNotice('joined', BEDROCK, 'new')).toBe(textOf('joined-without-id'));
  });
});

it('the secret is sent as a bearer token [MP-1]', () => {
  expect(authorizationOf('correctHorse')).toBe('Bearer correctHorse');
});

describe('a list of players [MP-4]', () => {
  const list = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `P${index}`, id: JEB.uuid }));

  it('is read with names and UUIDs', () => {
    expect(readPlayers([{ id: JEB.uuid, name: 'jeb_' }, { name: '.Bedrock' }])).toEqual([JEB, BEDROCK]);
  });

  it('has at most 10,000 players', () => {
    expect(readPlayers(list(10_000))).toHaveLength(10_000);
    expect(readPlayers(list(10_001))).toBeNull();
  });

  it.each([[null], ['jeb_'], [{ name: 'jeb_' }], [[{ name: 'jeb_' }, null]], [['jeb_']], [[{ name: '' }]]])(
    'is not %j',
    (result) => {
      expect(readPlayers(result)).toBeNull();
    },
  );
});

describe('a message [MP-6]', () => {
  const notices = (count: number): string =>
    `[${Array.from({ length: count }, () => textOf('joined')).join(',')}]`;

  it('holds at most 1,000 others', () => {
    expect(readReceived(notices(1_000))).toHaveLength(1_000);
    expect(readReceived(notices(1_001))).toEqual([]);
  });

  it('has at most 1,048,576 bytes', () => {
    const list = textOf('list');
    expect(readReceived(list.padEnd(1_048_576))).toHaveLength(1);
    expect(readReceived(list.padEnd(1_048_577))).toEqual([]);
  });
});
