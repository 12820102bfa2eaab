import { doubtSentence } from '../../core/clock-doubt.ts';
import type { Log } from '../../core/log.ts';
import type { ClockNews } from '../../ledger/ledger.ts';

/** Logs when Teller starts to doubt the clock and when it trusts it again. */
export function reportClock(news: ClockNews, log: Log): void {
  if (news.kind === 'believed') {
    log.info({ code: 'clock-believed', by: news.by }, endSentence(news));
    return;
  }
  const { reason, aheadMs } = news.doubt;
  log.warn({ code: 'clock-doubtful', reason, aheadMs }, doubtSentence(news.doubt));
}

function endSentence({ by, wasRight }: Extract<ClockNews, { kind: 'believed' }>): string {
  if (wasRight) return 'two sites confirm that this machine’s clock was right; held rewards are paid';
  const why =
    by === 'corrected' ? 'it shows the expected time' : 'the signed votes of two sites agree with it';
  return `this machine’s clock is trusted again: ${why}. Held rewards stay held until \`teller clock release\``;
}
