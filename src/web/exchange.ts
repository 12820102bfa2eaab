import type { Context } from 'hono';

/** The part of a route's context that is needed to answer with a page, or with a stream as the body. */
export type Exchange = Pick<Context, 'req' | 'env' | 'header' | 'html' | 'json' | 'redirect' | 'body'>;
