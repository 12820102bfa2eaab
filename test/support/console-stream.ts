import { onTestFinished } from 'vitest';
import type { FakeBrowser } from './fake-browser.ts';

/** The events of the console's stream, in the order of their arrival. */
export async function consoleEvents(browser: FakeBrowser, url: string): Promise<{ next(): Promise<string> }> {
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const response = await fetch(`${url}/live`, {
    headers: { cookie: browser.cookie, accept: 'text/event-stream' },
    signal: closing.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';
  return {
    async next() {
      for (;;) {
        const [, event, rest] = /^event: (\w+)\n(?:.*\n)*?\n((?:.|\n)*)$/.exec(unread) ?? [];
        if (event !== undefined) {
          unread = rest ?? '';
          return event;
        }
        const { value, done } = await reader.read();
        if (done) return 'closed';
        unread = (unread + value).replace(/^(?:retry: \d+\n|:\n)\n/, '');
      }
    },
  };
}
