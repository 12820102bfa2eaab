/**
 * Replies in which game servers and plugins report that a command did nothing. They come from the message files named
 * here. To support another plugin, add a source.
 *
 * In a reply, `{player}` stands for a name, `{number}` for a number and `{text}` for anything else on that line.
 * Colours and prefixes are left out: `replies.ts` removes them before it compares.
 */

/** What a known reply means for the command. */
export type ReplyMeaning =
  /** The server or plugin cannot run this command as it is. */
  | 'refused'
  /** The command's dispatcher does not know the command, so it did not run. */
  | 'unknown-command'
  /** The player is offline. */
  | 'player-offline'
  /** A selector or name matched no player. */
  | 'nobody-matched';

interface ReplySource {
  /** The game server or plugin. */
  readonly from: string;
  readonly version: string;
  /** The repository and the file in it. */
  readonly readIn: string;
  readonly replies: Readonly<Partial<Record<ReplyMeaning, readonly string[]>>>;
}

export const replySources: readonly ReplySource[] = [
  {
    from: 'vanilla',
    version: '26.2',
    readIn:
      'Pumpkin-MC/Pumpkin assets/en_us_java.json (the game’s own en_us.json), keys argument.* to permissions.*',
    replies: {
      'unknown-command': ['Unknown or incomplete command. See below for error'],
      'nobody-matched': ['No player was found', 'No entity was found'],
      refused: [
        'Incorrect argument for command',
        'Could not parse command: {text}',
        'Expected whitespace to end one argument, but found trailing data',
        'Trailing data found: {text}',
        'An unexpected error occurred while trying to execute that command',
        'Expected boolean',
        'Expected double',
        'Expected float',
        'Expected integer',
        'Expected long',
        "Expected '{text}'",
        'Expected literal {text}',
        'Expected quote to start a string',
        'Expected a block position',
        'Expected a coordinate',
        'Expected compound tag',
        'Expected end of options',
        'Expected item component',
        'Expected key',
        'Expected value',
        'Expected value for option {text}',
        'Expected value or range of values',
        'Expected closing ] for block state properties',
        'Expected value for property {text} on block {text}',
        'Unclosed quoted string',
        'Unexpected trailing data',
        'Missing selector type',
        'Incomplete (expected {text})',
        'Invalid boolean: expected {text}',
        'Invalid double {text}',
        'Invalid float {text}',
        'Invalid integer {text}',
        'Invalid long {text}',
        'Invalid escape sequence {text} in quoted string',
        'Invalid name or UUID',
        'Invalid UUID',
        'Invalid ID',
        'Invalid ID or tag',
        'Invalid or unknown entity type {text}',
        'Invalid or unknown game mode {text}',
        'Invalid or unknown sort type {text}',
        'Invalid chat component: {text}',
        'Invalid style: {text}',
        'Invalid array type {text}',
        'Invalid hex color code {text}',
        'Invalid NBT path element',
        'Invalid operation',
        'Invalid angle',
        'Invalid unit',
        'Invalid value {text}',
        'Unknown item {text}',
        'Unknown block type {text}',
        'Unknown block tag {text}',
        'Unknown color {text}',
        'Unknown criterion {text}',
        'Unknown dimension {text}',
        'Unknown display slot {text}',
        'Unknown function {text}',
        'Unknown game mode: {text}',
        'Unknown ID: {text}',
        'Unknown option {text}',
        'Unknown scoreboard objective {text}',
        'Unknown selector type {text}',
        'Unknown slot {text}',
        'Unknown team {text}',
        'Unknown advancement: {text}',
        'Unknown item modifier: {text}',
        'Unknown particle: {text}',
        'Unknown predicate: {text}',
        'Unknown recipe: {text}',
        'Double must not be less than {number}: found {number}',
        'Double must not be more than {number}: found {number}',
        'Float must not be less than {number}: found {number}',
        'Float must not be more than {number}: found {number}',
        'Integer must not be less than {number}: found {number}',
        'Integer must not be more than {number}: found {number}',
        'Long must not be less than {number}: found {number}',
        'Long must not be more than {number}: found {number}',
        'Malformed {text}',
        "Can't find {text}",
        "Can't insert {text} into {text}",
        "Can't give more than {number} of {text}",
        'Selector not allowed',
        'That player does not exist',
        'No relevant score holders could be found',
        'Only one player is allowed, but the provided selector allows more than one',
        'Only one entity is allowed, but the provided selector allows more than one',
        'Only players may be affected by this command, but the provided selector includes entities',
        'A player is required to run this command here',
        'An entity is required to run this command here',
        'Scoreboard objective {text} is read-only',
        'Chat message was too long ({text})',
      ],
    },
  },
  {
    from: 'vanilla',
    version: '1.13 to 1.20',
    readIn:
      'the game’s own en_us.json of these versions; the number faults are literals of its command parser',
    replies: {
      'unknown-command': ['Unknown or incomplete command, see below for error', 'Unknown command'],
      refused: [
        'An unexpected error occurred trying to execute that command',
        'Unknown effect: {text}',
        'Unknown enchantment: {text}',
        'Unknown entity: {text}',
        'Unknown loot table {text}',
        'Unknown sound {text}',
        'Double must not be less than {number}, found {number}',
        'Double must not be more than {number}, found {number}',
        'Float must not be less than {number}, found {number}',
        'Float must not be more than {number}, found {number}',
        'Integer must not be less than {number}, found {number}',
        'Integer must not be more than {number}, found {number}',
        'Long must not be less than {number}, found {number}',
        'Long must not be more than {number}, found {number}',
      ],
    },
  },
  {
    from: 'vanilla before 1.13 and Bedrock',
    version: 'PowerNukkitX 2026-08-22',
    readIn:
      'PowerNukkitX/PowerNukkitX src/main/resources/language/eng/lang.json, keys commands.generic.* and commands.give.*',
    replies: {
      'unknown-command': [
        'Unknown command: {text}. Please check that the command exists and that you have permission to use it.',
      ],
      'nobody-matched': [
        'No targets matched selector',
        'That player cannot be found',
        'That entity cannot be found',
      ],
      'player-offline': ['Could not find player {player}'],
      refused: [
        'There is no such item with name {text}',
        'There is no such block with name {text}',
        'There is no such mob effect with ID {text}',
        'There is no such enchantment with ID {text}',
        'The number you have entered ({text}) is too big, it must be at most {number}',
        'The number you have entered ({text}) is too small, it must be at least {number}',
        'Syntax error: Unexpected {text}',
        'Entity type {text} is invalid',
        'An unknown error occurred while attempting to perform this command',
        'Component list parsing failed',
        'Too many targets matched selector',
        'Selector must be player-type',
        '{text} is not a valid number',
        '{text} is not a valid parameter',
        'Usage: {text}',
      ],
    },
  },
  {
    from: 'Nukkit',
    version: '2026-08-21',
    readIn:
      'CloudburstMC/Nukkit src/main/resources/lang/eng/lang.ini, keys commands.generic.*, commands.give.*, commands.particle.*',
    replies: {
      'unknown-command': ['Unknown command. Try /help for a list of commands'],
      refused: [
        'You do not have permission to use this command',
        'There is no such item with ID {text}',
        'Data tag parsing failed: {text}',
        'Unknown effect name {text}',
      ],
    },
  },
  {
    from: 'Bukkit, Spigot and Paper',
    version: '26.2',
    readIn:
      'PaperMC/Paper paper-server/src/main/java/org/spigotmc/SpigotConfig.java and paper-api/src/main/java/org/bukkit/command/FormattedCommandAlias.java',
    replies: {
      'unknown-command': ['Unknown command. Type "/help" for help.'],
      refused: [
        'An internal error occurred while attempting to perform this command',
        "I'm sorry, but you do not have permission to perform this command.",
        "I'm sorry, but you do not have permission to perform this command. {text}",
      ],
    },
  },
  {
    from: 'Cuberite',
    version: 'core plugin 2024-05-23, server 2025-12-16',
    readIn: 'cuberite/Core give.lua and console.lua; cuberite/cuberite src/Server.cpp',
    replies: {
      'unknown-command': ["Unknown command, type 'help' for all commands."],
      'player-offline': ['Player not found', 'Player {player} not found'],
      refused: [
        'There is no such item with name [ {text} ]',
        'Error processing dataTag: {text}',
        "DataTag must start with a '{'",
        "DataTag must end with a '}'",
      ],
    },
  },
  {
    from: 'Pumpkin',
    version: '0.1.0-dev+26.2',
    readIn: 'Pumpkin-MC/Pumpkin crates/pumpkin/src/command/dispatcher.rs; the rest is as in vanilla',
    replies: { refused: ['Internal error (See logs for details)'] },
  },
  {
    from: 'EssentialsX',
    version: '2.21',
    readIn:
      'EssentialsX/Essentials Essentials/src/main/resources/messages.properties, most of them after errorWithMessage (“Error: ”)',
    replies: {
      'player-offline': [
        'Player not found.',
        'The user {player} does not exist.',
        'The user with UUID {text} does not exist.',
      ],
      refused: [
        'Unknown item name: {text}',
        'Unknown item id: {text}',
        'Not enough space, {number} {text} was lost.',
        'There is not enough room in your inventory for that kit.',
        'That kit does not exist.',
        'That kit is improperly defined. Contact an administrator.',
        'There are no valid kits.',
        'You do not have access to this kit.',
        'You need the {text} permission to use that kit.',
        'Invalid Number.',
        'Invalid Potion.',
        'Invalid mob type.',
        'Invalid world.',
        'Enchantment not found!',
        'Quantities must be greater than 0.',
        'This transaction would exceed the balance limit for this account.',
        'The minimum balance a user can have is {text}',
        'User is not allowed to have a negative balance.',
        'Cannot spawn {text}; this is not a spawnable item.',
        'That warp does not exist.',
        'You need to specify a valid player/mode.',
        'Only in-game players can use {text}',
        'This command cannot be used by Console.',
        'The command {text} is disabled.',
        'You do not have access to that command.',
        'Command {text} failed:',
        'Error calling the command /{text}',
        'This feature is not supported on the current server version.',
        'JSON Metadata is not supported in this version of Bukkit.',
        'JSON NBT metadata is no longer supported. {text}',
        'Data Components are not supported in this version of Bukkit. {text}',
      ],
    },
  },
  {
    from: 'LuckPerms',
    version: '5.5',
    readIn: 'LuckPerms/LuckPerms common/src/main/resources/luckperms_en.properties; after the prefix [LP]',
    replies: {
      'player-offline': ['User {player} is not online.', 'A user for {player} could not be found.'],
      refused: [
        'Command not recognised.',
        'LuckPerms commands are disabled.',
        'A group named {text} could not be found.',
        'A track named {text} could not be found.',
        'There was an error whilst saving user data for {text}',
        'Unable to load target user {text}',
        '{text} is not a valid username/uuid.',
        '{text} is not a valid group name.',
        '{text} is not a valid track name.',
        'You do not have permission to use this command!',
      ],
    },
  },
  {
    from: 'CratesPlus',
    version: '5.0-SNAPSHOT-8',
    readIn:
      'ConnorLinfoot/CratesPlus src/main/java/plus/crates/Commands/CrateCommand.java; after the prefix [CratesPlus]',
    replies: {
      'player-offline': ['The player {player} was not found'],
      refused: [
        'Crate not found',
        'No crate exists with that name',
        'Invalid amount',
        'Unknown arg',
        'Correct usage: {text}',
        'You do not have the correct permission to run this command',
        'This command must be ran as a player',
      ],
    },
  },
  {
    from: 'CrazyCrates',
    version: '2026-08-16',
    readIn: 'Crazy-Crew/CrazyCrates common/src/main/resources/messages.yml; after the plugin’s prefix',
    replies: {
      'player-offline': ['{player} is not online.'],
      refused: [
        '{text} is not a known command.',
        'The correct usage for this command is {text}',
        '{text} is not present in the command, expected format: {text}',
        'There is no crate called {text}',
        'There is no key called {text}',
        '{text} is not a number.',
        'An internal error has occurred. Please check the console for the full error.',
        'You must be a player to use this command.',
        'This feature is disabled.',
      ],
    },
  },
  {
    from: 'ExcellentCrates and CoinsEngine',
    version: '6.6.1 and 2.6.0, with nightcore 2.16.4',
    readIn:
      'nulli0n/ExcellentCrates-spigot …/excellentcrates/config/Lang.java; nulli0n/CoinsEngine-spigot …/Lang.java; nulli0n/nightcore-spigot …/EngineLang.java and CoreLang.java',
    replies: {
      'player-offline': ['Player not found!', 'Can not find player {player}!'],
      refused: [
        '{text} is not a valid crate!',
        '{text} is not a valid key!',
        '{text} is not a valid currency!',
        '{text} is not a valid {text} argument!',
        '{text} is not a valid number!',
        '{text} is not a valid item!',
        '{text} is not a valid material!',
        '{text} is not a valid world!',
        'Invalid player!',
        'Invalid number!',
        'Invalid material!',
        'Invalid value {text} for {text}',
        '{text} argument value must be {text}',
        '{text} argument value can not be {text}',
        "You don't have permission to do that!",
        'This command is for players only.',
      ],
    },
  },
  {
    from: 'PlayerPoints',
    version: '3.3.5',
    readIn:
      'Rosewood-Development/PlayerPoints src/main/resources/locale/en_US.yml; after the prefix [PlayerPoints]',
    replies: {
      'unknown-command': ['Unknown command: {text}'],
      'player-offline': ['Player could not be found: {player}'],
      refused: [
        'Account could not be found: {text}',
        'Amount must be a positive whole number.',
        'Invalid argument: {text}',
        "You don't have permission for that!",
        'This command can only be executed by a player.',
      ],
    },
  },
  {
    from: 'The New Economy (Vault)',
    version: '0.1.0.0',
    readIn: 'TheNewEconomy/TNE-Bukkit TNE/src/net/tnemc/resources/messages.yml',
    replies: {
      'player-offline': ['Unable to locate player {text}'],
      refused: [
        'Command {text} could not be found! Try using {text}',
        'Command {text} has been deactivated! Try using {text}',
        "I'm sorry, but you're not allowed to use that command.",
        "I'm sorry, but you do not have permission to do that.",
        'This command is not usable from console.',
        'Economy features are currently disabled in this world!',
        'Invalid item name and/or durability combination entered.',
        'Invalid item amount entered.',
      ],
    },
  },
  {
    from: 'plugins made with ACF (annotation command framework)',
    version: 'acf-core_en.properties, newest',
    readIn:
      'aikar/commands languages/core/acf-core_en.properties and languages/minecraft/acf-minecraft_en.properties',
    replies: {
      'player-offline': [
        'Could not find a player by the name: {player}',
        'No player matching {player} is connected to this server.',
        'No player matching {player} could be found.',
      ],
      refused: [
        'Unknown Command, please type {text}',
        'No command matched {text}',
        'Please specify one of ({text}).',
        '{text} must be a number.',
        'Must be at least {number} characters long.',
        'Must be at most {number} characters long.',
        'Please specify a value at most {number}.',
        'Please specify a value at least {number}.',
        'Console may not execute this command.',
        'That world does not exist.',
        '{text} is not a valid username.',
        'Multiple players matched {text}, please be more specific.',
        'An error occurred. This problem has been logged. Sorry for the inconvenience.',
        "I'm sorry, but there was an error performing this command.",
      ],
    },
  },
  {
    from: 'several plugins',
    version: 'as seen in 2026',
    readIn: 'the replies of running game servers',
    replies: {
      'player-offline': [
        'Player {player} is not online',
        'The player {player} is not online',
        'Player {player} cannot be found',
        'Player {player} was not found',
        'Player {player} could not be found',
        'The player {player} cannot be found',
        'The player {player} could not be found',
        'That player is not online',
      ],
    },
  },
];
