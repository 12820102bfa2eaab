import { describe, expect, it } from 'vitest';
import { GameConsole } from '../../src/practice/console.ts';
import { FaultSwitches } from '../../src/practice/faults.ts';
import { World } from '../../src/practice/world.ts';

/** Runs commands in a game with Ann and Bob. @returns the replies. */
function replies(...commands: string[]): string[] {
  const world = new World();
  for (const name of ['Ann', 'Bob']) world.join(name);
  const console = new GameConsole(world, new FaultSwitches());
  return commands.map((command) => console.run(command));
}

const last = (...commands: string[]): string | undefined => replies(...commands).at(-1);

describe('tags', () => {
  it('are added, listed, selected and removed as in vanilla', () => {
    expect(
      replies(
        'tag Bob add vip',
        'tag Bob add vip',
        'tag @a add voter',
        'tag Bob list',
        'execute if entity @a[name=Bob,tag=vip]',
        'execute if entity @a[name=Ann,tag=vip]',
        'execute if entity @a[tag=!vip]',
        'execute if entity @a[tag=voter]',
        'tag Bob remove vip',
        'tag Bob remove vip',
        'execute if entity @a[name=Bob,tag=vip]',
        'tag Cid add vip',
      ),
    ).toEqual([
      "Added tag 'vip' to Bob",
      'Target either already has the tag or has too many tags',
      "Added tag 'voter' to 2 entities",
      'Bob has 2 tags: vip, voter',
      'Test passed, count: 1',
      'Test failed',
      'Test passed, count: 1',
      'Test passed, count: 2',
      "Removed tag 'vip' from Bob",
      'Target does not have this tag',
      'Test failed',
      'No entity was found',
    ]);
  });
});

describe('teams', () => {
  it('have each player in one of them at most', () => {
    expect(
      replies(
        'team add red',
        'team add red',
        'team join red Bob',
        'execute if entity @a[name=Bob,team=red]',
        'team add blue',
        'team join blue Bob',
        'execute if entity @a[name=Bob,team=red]',
        'team list blue',
        'team leave Bob',
        'execute if entity @a[team=]',
        'team join green Bob',
        'team remove red',
        'team list',
      ),
    ).toEqual([
      'Created team [red]',
      'A team already exists by that name',
      'Added Bob to team [red]',
      'Test passed, count: 1',
      'Created team [blue]',
      'Added Bob to team [blue]',
      'Test failed',
      'Team [blue] has 1 members: Bob',
      'Removed Bob from any team',
      'Test passed, count: 2',
      "Unknown team 'green'",
      'Removed team [red]',
      'There are 1 teams: [blue]',
    ]);
  });
});

describe('scores', () => {
  it.each([
    ['5..', 'Test passed'],
    ['..4', 'Test failed'],
    ['5', 'Test passed'],
    ['-3..7', 'Test passed'],
  ])('that match %s: %s', (range, reply) => {
    const before = ['scoreboard objectives add votes dummy', 'scoreboard players set Bob votes 5'];
    expect(last(...before, `execute if score Bob votes matches ${range}`)).toBe(reply);
    expect(last(...before, `execute if entity @a[name=Bob,scores={votes=${range}}]`)).toContain(reply);
  });

  it('that are not set match nothing, and an objective that does not exist is an error', () => {
    expect(last('scoreboard objectives add votes dummy', 'execute if score Ann votes matches ..9')).toBe(
      'Test failed',
    );
    expect(last('execute if score Ann votes matches 1')).toBe("Unknown scoreboard objective 'votes'");
  });
});

describe('dimensions', () => {
  const inNether = 'execute in minecraft:the_nether if entity @a[name=Bob,distance=0..]';

  it('hold the players who were moved there', () => {
    expect(
      replies(
        inNether,
        'execute in minecraft:the_nether run tp Bob 0 64 0',
        inNether,
        'tp Bob ~ ~ ~',
        inNether,
      ),
    ).toEqual([
      'Test failed',
      'Teleported Bob to 0.500000, 64.000000, 0.500000',
      'Test passed, count: 1',
      'Teleported Bob to 0.000000, 0.000000, 0.000000',
      'Test failed',
    ]);
  });

  it('of Minecraft are known, and those of data packs', () => {
    expect(last('execute in the_nehter if entity @a')).toBe("Unknown dimension 'minecraft:the_nehter'");
    expect(last('execute in pack:sky if entity @a')).toBe('Test passed, count: 2');
  });
});

it('is silent about a test that fails after `as`, as vanilla is', () => {
  expect(last('execute as Bob if entity @s[tag=vip]')).toBe('');
  expect(last('execute as Bob if entity @s')).toBe('Test passed, count: 1');
});

it('distinguishes upper and lower case in the name of a selector, but not in a plain name', () => {
  expect(last('execute if entity @a[name=bob]')).toBe('Test failed');
  expect(last('execute if entity bob')).toBe('Test passed, count: 1');
});
