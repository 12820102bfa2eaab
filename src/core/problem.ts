/**
 * What can be told to the operator as an error, each with a stable code for scripts, the exit code of a command
 * that ends on it (1: no; 2: wrong usage or config) and what it means. The sentence that is printed is written
 * where the facts are known. docs/reference/problems.md is written from it.
 */
export const problems = {
  'config-missing': { exit: 2, means: 'The file named by --config does not exist or cannot be read.' },
  'config-invalid': { exit: 2, means: 'The config has problems; all of them are listed with path and line.' },
  'config-syntax': { exit: 2, means: 'The config is not JSON at this place.' },
  'config-duplicate-key': { exit: 2, means: 'A key is in the same object of the config twice.' },
  'config-unknown-key': { exit: 2, means: 'The config has a key that does not exist.' },
  'config-unknown-name': {
    exit: 2,
    means: 'A reward names a site or a game server that is not in the config.',
  },
  'config-value': {
    exit: 2,
    means: 'A value in the config is missing, of the wrong kind, or out of bounds.',
  },
  'config-changed': {
    exit: 1,
    means: 'The config was changed by another program while a command edited it, so it was not written.',
  },
  'config-template': { exit: 2, means: 'A command of a reward cannot be rendered as it is written.' },
  'secret-missing': { exit: 2, means: 'A secret named by env: or file: is not there, or is empty.' },
  'secret-placeholder': { exit: 2, means: 'A secret still holds an example text instead of a real value.' },
  'key-missing': { exit: 2, means: 'A file of the RSA pair is not there.' },
  'key-invalid': { exit: 2, means: 'A file of the RSA pair does not hold an RSA key of 2,048 bits.' },
  'key-mismatch': { exit: 2, means: 'The public and the private key are not of one pair.' },
  'token-elsewhere': { exit: 2, means: 'A token comes from the environment, so it has to be changed there.' },
  'site-unknown': { exit: 2, means: 'A site named on the command line is not in `sites`.' },
  'import-nothing': { exit: 2, means: 'The folder given to import holds no Votifier plugin.' },
  'import-unreadable': { exit: 2, means: "The plugin's config.yml or config.toml cannot be read." },
  'data-unwritable': { exit: 1, means: 'A file of the config or the data cannot be written.' },
  'not-confirmed': { exit: 1, means: 'A change was not confirmed, so nothing was changed.' },
  usage: { exit: 2, means: 'The command line is not understood.' },
  'ledger-missing': {
    exit: 1,
    means:
      'There is no ledger yet, and `teller run` makes it; or only its -wal is there (or that of the listing service’s file), and the file is to be put back.',
  },
  'ledger-corrupt': {
    exit: 1,
    means: 'The file of the ledger or of the listing service is damaged or no database.',
  },
  'ledger-foreign': {
    exit: 1,
    means: 'The file of the ledger or of the listing service is a database of another program.',
  },
  'ledger-newer': {
    exit: 1,
    means: 'The ledger, or the listing service’s database, was written by a newer Teller.',
  },
  'ledger-older': { exit: 1, means: 'The ledger is of an older Teller; `teller run` migrates it.' },
  'ledger-behind': {
    exit: 1,
    means:
      'The ledger knows of fewer sent commands than the mark beside it: its newest part is missing, and starting would pay rewards again.',
  },
  'ledger-locked': {
    exit: 1,
    means: 'Another program holds the ledger, or the listing service’s database, locked for too long.',
  },
  'data-in-use': { exit: 1, means: 'Another process serves the same data; end that one first.' },
  'backup-exists': { exit: 1, means: 'The folder for the backup is there already and not empty.' },
  'backup-incomplete': { exit: 1, means: 'A file that belongs into the backup cannot be read.' },
  'backup-damaged': {
    exit: 1,
    means: 'The folder holds no whole backup: a file is missing, or is not as it was written.',
  },
  'backup-newer': { exit: 1, means: 'The backup was made by a newer Teller.' },
  'restore-running': { exit: 1, means: 'A Teller serves the ledger that is to be replaced; end it first.' },
  'restore-clock': {
    exit: 1,
    means: 'The backup is of a later time than this machine’s clock shows, so one of them is wrong.',
  },
  'restore-in-the-way': {
    exit: 1,
    means: 'Files are in the place of those in the backup, and nobody has agreed to move them aside.',
  },
  'practice-clock-damaged': { exit: 1, means: 'The file of the practice clock cannot be read.' },
  'practice-clock-refused': {
    exit: 2,
    means: 'The practice clock was asked for where something is paid for real, or where others can move it.',
  },
  'clock-not-set': {
    exit: 1,
    means: 'The clock shows a time before Teller existed, so it cannot be released; set it first.',
  },
  'grant-missing': { exit: 1, means: 'There is no grant with this ID.' },
  'grant-moved-on': { exit: 1, means: 'The grant is in another state by now, so it was not changed.' },
  'grant-nowhere': {
    exit: 1,
    means: 'The grant is for a game server that the config does not name, so nobody would pay it.',
  },
  'grant-none-ran': {
    exit: 1,
    means: 'No command of the grant was refused or left unknown, so none can be counted as run.',
  },
  'grant-for-user': {
    exit: 1,
    means: 'The grant is for a user ID and its commands name no player, so it cannot be paid to one.',
  },
  'player-not-allowed': { exit: 2, means: 'No player can have the name that the command line gives.' },
  'rerender-impossible': {
    exit: 1,
    means:
      'A grant cannot be rendered again: its reward is gone, has more commands, or asks for what the vote does not name.',
  },
  'vote-missing': { exit: 1, means: 'There is no vote with this ID.' },
  'vote-rewarded': {
    exit: 1,
    means: 'The vote was rewarded when it came, so the operator cannot have it rewarded again.',
  },
  'vote-rewarded-by-operator': {
    exit: 1,
    means: 'The operator has had this vote rewarded before; a vote is rewarded once.',
  },
  'vote-no-player': { exit: 1, means: 'The vote names no player, so there is no one to pay.' },
  'reward-none': { exit: 1, means: 'No reward in the config applies to the vote.' },
  'vote-refused': { exit: 1, means: 'A vote like this would be refused at the door.' },
  'vote-early': {
    exit: 1,
    means: 'A listing tells a vote that is yet to be cast: its clock is wrong, or this machine’s.',
  },
  'practice-not-running': { exit: 1, means: 'No practice game server was found to control.' },
  'practice-refused': { exit: 1, means: 'The practice game server answered that it cannot do this.' },
  'dashboard-unreachable': { exit: 1, means: 'No listing service answers at the address of --url.' },
  'dashboard-sign-in': { exit: 1, means: 'The account cannot sign in at the listing service.' },
  'listing-unknown': { exit: 2, means: 'No listing, or more than one, is what --listing names.' },
  'port-in-use': { exit: 1, means: 'The port is taken by another program.' },
  'port-not-allowed': { exit: 1, means: 'The system does not let Teller listen at this address and port.' },
  'ledger-full': { exit: 1, means: 'The disk of the ledger is full.' },
  'ledger-replaced': {
    exit: 1,
    means: 'The ledger’s file was moved, removed or replaced while Teller runs.',
  },
  'ledger-failed': { exit: 1, means: 'The ledger could not be written for another reason.' },
} as const satisfies Record<string, { exit: 1 | 2; means: string }>;

export type ProblemCode = keyof typeof problems;

/** An error written for the operator: `code` is stable, `message` says what is wrong and what to do. */
export class Problem extends Error {
  constructor(
    readonly code: ProblemCode,
    sentence: string,
    options?: ErrorOptions,
  ) {
    super(sentence, options);
    this.name = 'Problem';
  }

  get exit(): 1 | 2 {
    return problems[this.code].exit;
  }
}
