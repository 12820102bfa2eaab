import { describe, expect, it } from 'vitest';
import { judgeReply } from '../../src/delivery/replies.ts';

const NONE = { refusedReplies: [], offlineReplies: [] };

describe('a reply means refused', () => {
  it.each([
    'Unknown or incomplete command, see below for errorcrate<--[HERE]',
    'Unknown command. Type "/help" for help.',
    'Incorrect argument for command...nd 1 more<--[HERE]',
    'Expected whitespace to end one argument, but found trailing data',
    'Expected integer...iamond one<--[HERE]',
    "Expected '='",
    "Unknown item 'minecraft:diamnod'",
    "Unknown scoreboard objective 'votes'",
    'Integer must not be less than 1, found 0',
    "Invalid chat component: Malformed JSON in '{text}'",
    "Can't give more than 6400 of [Diamond]",
    "Can't find element 'minecraft:diamnod' of type 'minecraft:item'",
    'That player does not exist',
    'A player is required to run this command here',
    'An unexpected error occurred trying to execute that command',
    "I'm sorry, but you do not have permission to perform this command.",
    '§cUnknown command.',
    'Unbekannter oder unvollständiger Befehl, siehe unten für Fehlercrate<--[HERE]',
  ])('where it says %j', (reply) => {
    expect(judgeReply(reply, NONE)).toBe('refused');
  });
});

describe('a reply means that the player is offline', () => {
  it.each([
    'No player was found',
    'No entity was found',
    'That player cannot be found',
    'Player not found',
    'Error: Player not found.',
    '§cError: §4Player not found.',
    'Player Bob is not online',
  ])('where it says %j', (reply) => {
    expect(judgeReply(reply, NONE)).toBe('player-offline');
  });
});

describe('a reply means delivered', () => {
  it.each([
    '',
    'Gave 1 [Diamond] to Bob',
    'Gave 1 [Unknown item] to Bob',
    'Bob says: Unknown command',
    'Expected delivery: tomorrow',
    'Unknown to most, Bob is a hero',
    'Invalidated the old key and gave a new one',
    'Reward given; Player not found in the old file, so a new one was made',
    'Nothing changed. The player already is an operator',
    'Executed. (No player was found) is what others would read',
    'Usage of /vote counted',
  ])('where it says %j', (reply) => {
    expect(judgeReply(reply, NONE)).toBe('delivered');
  });
});

describe("the operator's patterns", () => {
  it('match anywhere, and come before the built-in ones', () => {
    const own = {
      refusedReplies: [/inventory (?:is )?full/i],
      offlineReplies: [/Unknown command: no such player/],
    };
    expect(judgeReply('Sorry, inventory is FULL', own)).toBe('refused');
    expect(judgeReply('Unknown command: no such player', own)).toBe('player-offline');
    expect(judgeReply('Unknown command: no such thing', own)).toBe('refused');
  });

  it('mean the same every time, even with the flag g', () => {
    const own = { refusedReplies: [/full/g], offlineReplies: [] };
    expect([1, 2, 3].map(() => judgeReply('inventory full', own))).toEqual(['refused', 'refused', 'refused']);
  });

  it('make a reply offline that both lists match, because that mends itself', () => {
    expect(judgeReply('gone', { refusedReplies: [/gone/], offlineReplies: [/gone/] })).toBe('player-offline');
  });
});
