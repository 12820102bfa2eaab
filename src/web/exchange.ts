import type { Context } from 'hono';

/** The part of a route's context that pages are answered with. */
export type Exchange = Pick<Context, 'req' | 'env' | 'header' | 'html' | 'json' | 'redirect'>;
