import type { ConfigLedger } from './config-ledger.ts';
import type { EventLedger } from './event-ledger.ts';
import type { GrantLedger } from './grant-ledger.ts';
import type { ImportLedger } from './import-ledger.ts';
import type { LedgerReader } from './ledger-reader.ts';
import type { OperatorLedger } from './operator-ledger.ts';
import type { RecoveryLedger } from './recovery-ledger.ts';
import type { RunLedger } from './run-ledger.ts';
import type { TogetherLedger } from './together-ledger.ts';
import type { UnlistedLedger } from './unlisted-ledger.ts';
import type { VoteLedger } from './vote-ledger.ts';

export type { ClockNews } from './clock-history.ts';
export type { UsedConfig } from './config-ledger.ts';
export type {
  EndedPost,
  EventLedger,
  EventPost,
  EventReader,
  EventRow,
  NewEvent,
  PostEnd,
  ReceiverState,
  ReceiverWants,
} from './event-ledger.ts';
export type { FigureReader, IdRange, RewardSum, TotalOf, VoteSum } from './figure-reader.ts';
export type {
  AppliedTerms,
  CommandClaim,
  GrantCause,
  GrantLedger,
  HeldPortion,
  LikelyPlayer,
  PendingPage,
  Settlement,
  WaitingGrant,
  WaitingPlayer,
} from './grant-ledger.ts';
export type { CommandRow, GrantActionKind, GrantActionRow, GrantCounts, GrantRow } from './grant-row.ts';
export type {
  BalanceDifference,
  BalanceEntry,
  BalanceOrder,
  BalanceWhat,
  ImportLedger,
  ImportOrder,
  VotesImported,
} from './import-ledger.ts';
export type {
  CountsPage,
  DeepPart,
  GrantFilter,
  LedgerReader,
  WantedOfVotes,
} from './ledger-reader.ts';
export type { OpenCommand, OpenGrant, QueueKey } from './open-grant.ts';
export type {
  Change,
  Continued,
  ContinueOrder,
  GrantOrder,
  LateRules,
  OperatorLedger,
  Paused,
  PaymentOrder,
  RecountOrder,
  Resumed,
  VoidRefusal,
  VoteRewardRefusal,
} from './operator-ledger.ts';
export type {
  BalanceRow,
  ForgetProgress,
  ForgetStep,
  PlayerChange,
  PlayerChangeKind,
  PlayerFigures,
  PlayerNameRow,
  PlayerRefusal,
  PlayerRow,
  SeenPlayer,
  SeenReport,
} from './player-ledger.ts';
export type { QueueLength, QueueState } from './queue-state.ts';
export type { RecoveryLedger } from './recovery-ledger.ts';
export type { Run, RunLedger } from './run-ledger.ts';
export { HEARTBEAT_MS } from './run-ledger.ts';
export type { SharedWindow, TallyRow } from './service-figures.ts';
export type {
  ActedGrant,
  StuckFilter,
  StuckGroup,
  StuckGroups,
  StuckPage,
  StuckPlace,
  StuckState,
  StuckWanted,
} from './stuck-reader.ts';
export type {
  FixedPortion,
  PageOfStandings,
  PartyOrder,
  PartyProgress,
  PresentPlayer,
  ReachedParty,
  SettledPlace,
  TogetherLedger,
} from './together-ledger.ts';
export type { ListedPortion, ListedSite, ListingOrder, UnlistedLedger } from './unlisted-ledger.ts';
export { UNLISTED_PAID_MS } from './unlisted-ledger.ts';
export type { Recorded, RecordedDecision, RefusalCount, VoteLedger } from './vote-ledger.ts';
export type { VoteFilter, VotePage, VoteRow } from './vote-row.ts';

/** Everything that can be asked of a ledger. Arguments and results are plain values, so an engine can be anywhere. */
export interface LedgerCalls
  extends VoteLedger,
    ConfigLedger,
    UnlistedLedger,
    GrantLedger,
    OperatorLedger,
    RecoveryLedger,
    RunLedger,
    TogetherLedger,
    ImportLedger,
    EventLedger,
    LedgerReader {}

/**
 * The one place where votes and grants are kept. It is asynchronous and free of SQL, so that another engine can
 * implement it. All times are milliseconds since the Unix epoch. A method that cannot store rejects with a Problem
 * (`ledger-locked`, `ledger-full`, `ledger-replaced`, `ledger-failed`, `thread-ended`) and has changed nothing.
 */
export interface Ledger extends LedgerCalls {
  /** Whether it was created at this opening although Teller had delivered from an earlier one. */
  readonly replacesLost: boolean;
  /** Resolves when everything that was asked is answered and the ledger is closed. */
  close(): Promise<void>;
}
