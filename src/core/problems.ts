/**
 * Every error that a command can end with: a stable code for scripts, the exit code (1: failed; 2: wrong usage or
 * config) and what it means. The printed sentence is written in the code that knows the facts.
 * docs/reference/problems.md is generated from this table.
 */
export const problems = {
  'config-missing': { exit: 2, means: 'The file named by --config does not exist or cannot be read.' },
  'config-invalid': { exit: 2, means: 'The config has problems; each is listed with its path and line.' },
  'config-syntax': { exit: 2, means: 'The config is not valid JSON or YAML; the message names the line.' },
  'config-duplicate-key': { exit: 2, means: 'A key appears twice in the same object of the config.' },
  'config-unknown-key': { exit: 2, means: 'The config has a key that does not exist.' },
  'config-removed-key': {
    exit: 2,
    means: 'The config has a key or a value that Teller no longer has; the message says what to do instead.',
  },
  'config-unknown-name': {
    exit: 2,
    means: 'A reward names a site or a game server that is not in the config.',
  },
  'config-value': {
    exit: 2,
    means: 'A value in the config is missing, of the wrong kind, or out of bounds.',
  },
  'examples-missing': {
    exit: 2,
    means: 'A file of examples does not exist or cannot be read.',
  },
  'config-changed': {
    exit: 1,
    means: 'Another program changed the config while a command edited it, so nothing was written.',
  },
  'config-template': {
    exit: 2,
    means: 'A command of a reward is empty, is too long, or has a line break or a misspelled placeholder.',
  },
  'secret-missing': { exit: 2, means: 'A secret named by env: or file: does not exist or is empty.' },
  'secret-placeholder': { exit: 2, means: 'A secret still has its example value.' },
  'key-missing': {
    exit: 2,
    means:
      'A file of the RSA key pair does not exist or cannot be read. `teller run` creates the pair, but never a private key for an existing public key.',
  },
  'key-invalid': { exit: 2, means: 'A file of the RSA key pair does not hold a 2,048-bit RSA key.' },
  'key-mismatch': { exit: 2, means: 'The public and the private key do not belong together.' },
  'console-not-served': {
    exit: 1,
    means: 'No running Teller serves a console that this user may open.',
  },
  'password-elsewhere': {
    exit: 2,
    means: 'The hash of the console’s password comes from an environment variable; change it there.',
  },
  'token-elsewhere': { exit: 2, means: 'A token comes from an environment variable; change it there.' },
  'site-unknown': { exit: 2, means: 'A site named on the command line is not in `sites`.' },
  'import-nothing': {
    exit: 2,
    means: 'The file or folder given to `teller import` does not hold what that plugin has.',
  },
  'import-unreadable': { exit: 2, means: 'A file of the plugin cannot be read, or is a pipe or a device.' },
  'data-unwritable': { exit: 1, means: 'A config or data file cannot be written.' },
  'not-paused': {
    exit: 1,
    means: 'There is no such pause to end; rewards of a game server that is away wait without one.',
  },
  'not-confirmed': { exit: 1, means: 'A change was not confirmed, so nothing was changed.' },
  usage: { exit: 2, means: 'The command line is wrong.' },
  'time-zone-differs': {
    exit: 2,
    means: 'Another Teller that records into this ledger begins its days in another time zone.',
  },
  'thread-ended': {
    exit: 1,
    means:
      'The thread of the ledger, or of the listing service’s database, has ended by itself, so nothing can be stored. Nothing that was answered is lost; start Teller again.',
  },
  'ledger-missing': {
    exit: 1,
    means:
      'There is no ledger yet; `teller run` creates it. If only its -wal file exists (or that of the listing service’s database), put the main file back.',
  },
  'ledger-corrupt': {
    exit: 1,
    means: 'The ledger, or the listing service’s database, is damaged or is not a database.',
  },
  'ledger-foreign': {
    exit: 1,
    means: 'The ledger file, or the listing service’s, is a database of another program.',
  },
  'ledger-newer': {
    exit: 1,
    means: 'The ledger, or the listing service’s database, was written by a newer Teller.',
  },
  'ledger-older': {
    exit: 1,
    means:
      'The ledger, or the listing service’s database, was written before the first release, and cannot be used.',
  },
  'ledger-behind': {
    exit: 1,
    means:
      'The ledger records fewer sent commands than the .mark file beside it: its newest part is missing, and starting would pay rewards again.',
  },
  'ledger-locked': {
    exit: 1,
    means: 'Another program has kept the ledger, or the listing service’s database, locked for too long.',
  },
  'data-in-use': { exit: 1, means: 'Another process uses the same data; stop it first.' },
  'backup-exists': { exit: 1, means: 'The folder for the backup already exists and is not empty.' },
  'backup-incomplete': { exit: 1, means: 'A file that belongs in the backup cannot be read.' },
  'backup-damaged': {
    exit: 1,
    means: 'The backup is incomplete or damaged: a file is missing or was changed.',
  },
  'backup-newer': { exit: 1, means: 'The backup was made by a newer Teller.' },
  'restore-running': {
    exit: 1,
    means: 'A running Teller uses the ledger that would be replaced; stop it first.',
  },
  'restore-clock': {
    exit: 1,
    means: 'The backup was made later than this machine’s clock shows, so one of the two times is wrong.',
  },
  'restore-in-the-way': {
    exit: 1,
    means: 'Other files are where the backup’s would go, and moving them aside was not confirmed.',
  },
  'practice-clock-damaged': { exit: 1, means: 'The file of the practice clock cannot be read.' },
  'practice-clock-refused': {
    exit: 2,
    means: 'The practice clock cannot be used with a real game server, or where others can move it.',
  },
  'clock-not-set': {
    exit: 1,
    means: 'This machine’s clock shows a time before Teller existed; set it before you release it.',
  },
  'vote-undated': {
    exit: 1,
    means:
      'This machine’s clock cannot be relied on, so a vote is only added with the time at which it was cast.',
  },
  'player-missing': { exit: 1, means: 'The ledger knows no player with this name.' },
  'players-same': { exit: 1, means: 'The two names belong to the same player already.' },
  'players-differ': {
    exit: 1,
    means: 'Game servers have shown two UUIDs of the same kind for the two names, so they are two players.',
  },
  'players-shared-name': {
    exit: 1,
    means:
      'Both players have had the same name, so their votes could not be told apart again after joining them.',
  },
  'player-not-joined': {
    exit: 1,
    means: 'The name was not joined to another one, so there is nothing to split.',
  },
  'grant-missing': { exit: 1, means: 'There is no grant with this ID.' },
  'grant-moved-on': {
    exit: 1,
    means: 'The grant’s state does not allow this change, so nothing was changed.',
  },
  'grant-nowhere': {
    exit: 1,
    means:
      'The grant is for a game server that is not in the config, or of another kind there, so it cannot be paid.',
  },
  'grant-none-ran': {
    exit: 1,
    means: 'No command of the grant was refused or has an unknown outcome, so none can be counted as run.',
  },
  'grant-for-user': {
    exit: 1,
    means: 'The grant is for a user ID and its commands name no player, so it cannot be paid to one.',
  },
  'player-not-allowed': { exit: 2, means: 'The name on the command line cannot be a player’s name.' },
  'rerender-impossible': {
    exit: 1,
    means:
      'A grant cannot be rendered again: its reward is not in the config, has more commands now, or needs something that the vote does not name.',
  },
  'vote-missing': { exit: 1, means: 'There is no vote with this ID.' },
  'vote-rewarded': {
    exit: 1,
    means: 'The vote was rewarded when it arrived, so it cannot be rewarded again.',
  },
  'vote-rewarded-by-operator': {
    exit: 1,
    means: 'The operator has already rewarded this vote; a vote is rewarded once.',
  },
  'practice-only': {
    exit: 1,
    means: 'Every game server in the config is a practice one, so practice has not ended.',
  },
  'vote-voided': {
    exit: 1,
    means:
      'The operator has voided this vote: it counts for nothing, so it is neither voided again nor rewarded.',
  },
  'vote-imported': {
    exit: 1,
    means:
      'The vote was imported: the plugin that it comes from has paid it or owes it, so it is not rewarded here.',
  },
  'vote-forgotten': { exit: 1, means: 'The player of the vote was forgotten, so it cannot be rewarded.' },
  'vote-no-player': { exit: 1, means: 'The vote names no player, so it cannot be rewarded.' },
  'game-server-refused': {
    exit: 2,
    means:
      'What was entered for a game server cannot be written into the config; each fault is listed with a code of its own.',
  },
  'server-unknown': { exit: 2, means: 'No game server in the config has this name.' },
  'reward-none': { exit: 1, means: 'No reward in the config applies to the vote.' },
  'reward-unknown': { exit: 2, means: 'No reward in the config has this name.' },
  'reward-unfit': {
    exit: 1,
    means:
      'The reward cannot be given without a vote: its commands need something that only a vote says, or it has none for the occasion.',
  },
  'occasion-unknown': { exit: 2, means: 'The text is not an occasion that a reward can be granted for.' },
  'occasion-spent': {
    exit: 1,
    means: 'The reward was already granted to the player for this occasion, or its chance was lost.',
  },
  'vote-refused': { exit: 1, means: 'A vote like this would be refused on arrival.' },
  'vote-early': {
    exit: 1,
    means: 'A listing reports a vote with a time in the future: its clock or this machine’s is wrong.',
  },
  'alarms-none': {
    exit: 2,
    means: 'The config has no `alarms`, so there is no URL to post a test message to.',
  },
  'events-none': {
    exit: 2,
    means: 'The config has no `events`, so there is no receiver to post a test event to.',
  },
  'practice-not-running': { exit: 1, means: 'No practice game server was found to control.' },
  'practice-refused': { exit: 1, means: 'The practice game server refused the request.' },
  'dashboard-unreachable': { exit: 1, means: 'No listing service answers at the address of --url.' },
  'dashboard-sign-in': { exit: 1, means: 'The account cannot sign in at the listing service.' },
  'listing-unknown': { exit: 2, means: '--listing matches no listing, or more than one.' },
  'listing-not-yours': {
    exit: 2,
    means: 'The account of --as is neither the owner nor a manager of the listing.',
  },
  'port-in-use': { exit: 1, means: 'Another program uses the port.' },
  'port-not-allowed': {
    exit: 1,
    means: 'The operating system does not allow Teller to listen on this address and port.',
  },
  'ledger-full': {
    exit: 1,
    means: 'The disk that holds the ledger, or the listing service’s database, is full.',
  },
  'ledger-replaced': {
    exit: 1,
    means: 'The ledger file was moved, removed or replaced while Teller was running.',
  },
  'ledger-failed': {
    exit: 1,
    means: 'The ledger, or the listing service’s database, could not be written for another reason.',
  },
} as const satisfies Record<string, { exit: 1 | 2; means: string }>;

export type ProblemCode = keyof typeof problems;
