import { describe, expect, test } from 'vitest';
import { isVersionAtLeast } from '../../src/core/game-version.ts';
import { messageJson, usesHexColours } from '../../src/core/message-text.ts';
import { closeCommand, openCommand } from '../../src/core/template.ts';

describe('a message', () => {
  test.each([
    ['Thanks!', '{"text":"Thanks!"}'],
    ['&aThanks!', '{"text":"Thanks!","color":"green"}'],
    [
      'Hi &6&lgold&r plain',
      '["",{"text":"Hi "},{"text":"gold","color":"gold","bold":true},{"text":" plain"}]',
    ],
    ['&lbold &cred', '["",{"text":"bold ","bold":true},{"text":"red","color":"red"}]'],
    ['&#FF8800warm', '{"text":"warm","color":"#ff8800"}'],
    ['Tom && Jerry & co &z', '{"text":"Tom & Jerry & co &z"}'],
    ['say "hi" \\o/', '{"text":"say \\"hi\\" \\\\o/"}'],
    ['&a&r', '{"text":""}'],
    ['', '{"text":""}'],
  ])('%s is rendered as %s', (message, json) => {
    expect(messageJson(message)).toBe(json);
    expect(JSON.parse(messageJson(message))).toBeTruthy();
  });

  test('has each of the 16 colours and the 5 formats', () => {
    const codes = [...'0123456789abcdef'].map((code) => messageJson(`&${code}x`));
    const names = codes.map((json) => JSON.parse(json).color);
    expect(new Set(names).size).toBe(16);
    expect([names[0], names[15]]).toEqual(['black', 'white']);
    expect(JSON.parse(messageJson('&k&l&m&n&ox'))).toEqual({
      ...{ text: 'x', obfuscated: true, bold: true, strikethrough: true },
      ...{ underlined: true, italic: true },
    });
  });

  test('keeps its placeholders open, and hostile values cannot leave the JSON', () => {
    const open = openCommand(`tellraw {player} ${messageJson('&a{player}&r on {site} and {service}')}`, {
      site: 'My "List"}',
      service: 'a","b\\',
    });
    const line = closeCommand(open, { player: '*Steve', uuid: null, now: null });
    expect(line.startsWith('tellraw "*Steve" [')).toBe(true);
    expect(JSON.parse(line.slice(line.indexOf('[')))).toEqual([
      '',
      { text: '*Steve', color: 'green' },
      { text: ' on My List and ab' },
    ]);
  });

  test('that doubles the & before # has no hex colour', () => {
    expect([usesHexColours('&#ff8800x'), usesHexColours('&&#ff8800x'), usesHexColours('&ax')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test('versions are compared by number', () => {
  const newer = ['1.16', '1.16.5', '1.21.4', '2.0', '26.1'];
  const older = ['1.9', '1.15.2', '1.8', '0.30'];
  expect(newer.filter((version) => !isVersionAtLeast(version, '1.16'))).toEqual([]);
  expect(older.filter((version) => isVersionAtLeast(version, '1.16'))).toEqual([]);
});
