import type { PageHandler } from '../web/server.ts';

/** Loads the code of pages with the first request, and tries again with the next one if that failed. */
export function loadedLater(load: () => Promise<PageHandler>): PageHandler {
  let loading: Promise<PageHandler> | null = null;
  return async (request, bindings) => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return (await loading)(request, bindings);
  };
}
