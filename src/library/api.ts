/** The types of what the package exports. The package ships this file as its declarations, so it imports nothing. */

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What every function here rejects with: a code that stays the same, and a sentence that says what to do. */
export interface Problem extends Error {
  /** Such as `port-in-use`; docs/reference/problems.md has all. */
  readonly code: string;
}

/** A vote, as a listing sent it. */
export interface Vote {
  /** The listing's name, as it was sent, without surrounding white space; at most 128 characters. May be empty. */
  readonly service: string;
  /** `A-Z a-z 0-9 _`, at most 16 characters, one of the prefixes for Bedrock players included. */
  readonly player: string;
  /** When it was cast, in milliseconds since the Unix epoch: as the listing says, if that is within 10 minutes of `receivedAt`. */
  readonly castAt: number;
  /** In milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** The voter's address, as the listing says. It is not checked: it may be empty, or any text. */
  readonly voterAddress: string;
  /** The address that sent the vote. */
  readonly sender: string;
  /** `v2` is signed with a token. `v1` can be sent by anyone who has seen the public key. */
  readonly version: 'v1' | 'v2';
}

/** A vote, or something else, that was not accepted. */
export interface Refusal {
  /** Such as `v2-signature`; docs/reference/refusals.md has all. */
  readonly code: string;
  /** The listing's name, if it is known. */
  readonly service: string | null;
  readonly sender: string;
}

export interface ListenerOptions {
  /**
   * Called with each vote. The sender gets its ok once this resolves, so store the vote before that. If it rejects, a v2
   * sender is told that the vote was not stored, and may send it again; a v1 sender cannot be told, so its vote is lost.
   * A sender that did not get the answer sends the same vote again: recognize that by `service`, `player` and `castAt`.
   */
  readonly onVote: (vote: Vote) => void | Promise<void>;
  /** Called with each refusal, also when `onVote` rejects (`ledger-unable`). An open port gets many. */
  readonly onRefused?: (refusal: Refusal) => void;
  /** All addresses of this machine by default. */
  readonly host?: string;
  /** 8192 by default; 0 takes a free one. */
  readonly port?: number;
  /** The token that signs v2 votes: one for all listings, or one for each by name, where `default` is for all others. */
  readonly tokens?: string | Readonly<Record<string, string>>;
  /** The folder of the RSA key pair, created if there is none: public.key and private.key. Without it, v1 is refused. */
  readonly keys?: string;
  /** What names of Bedrock players may begin with: `.` and `*` by default. */
  readonly bedrockPrefixes?: readonly string[];
  /** How long a sender may take for a whole vote, in milliseconds; 5,000 by default. */
  readonly deadlineMs?: number;
  /** 1,024 by default. Above it, the oldest connection without a vote is closed. */
  readonly maxConnections?: number;
  /** 32 by default. */
  readonly maxConnectionsPerAddress?: number;
}

export interface VoteListener extends Address {
  /** What to enter at a listing that sends v1; null without `keys`. */
  readonly publicKey: string | null;
  /** Stops listening, and resolves once the votes in progress are answered. */
  close(): Promise<void>;
}

/** Listens for votes. Rejects with a `Problem`: `config-value`, `key-…`, `port-…`. */
export type CreateListener = (options: ListenerOptions) => Promise<VoteListener>;

/** A vote to send. */
export interface VoteToSend {
  readonly service: string;
  readonly player: string;
  /** In milliseconds since the Unix epoch; now by default. */
  readonly castAt?: number;
  /** Of the voter; `127.0.0.1` by default, because some listeners refuse a vote without one. */
  readonly voterAddress?: string;
}

/** A listener, and its token (v2) or its public key (v1). */
export type SendTo = Address &
  ({ readonly token: string } | { /** One line of base64, or PEM. */ readonly publicKey: string });

export interface Sent {
  /** `yes`: a v2 listener has confirmed it. `unknown`: it may have arrived; v1 confirms nothing. */
  readonly arrived: 'yes' | 'no' | 'unknown';
  /** Such as `accepted` or `wrong-token`; docs/reference/sending.md has all. */
  readonly code: string;
  /** What happened, and what to check. */
  readonly sentence: string;
}

/** Sends one vote, once, within 10 seconds. Never rejects because of the listener; `key-invalid` for a wrong `publicKey`. */
export type SendVote = (vote: VoteToSend, to: SendTo) => Promise<Sent>;
