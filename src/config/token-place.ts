import path from 'node:path';
import { editorOf } from './edit.ts';

/** Where a site's own token is kept; `none`: the site uses the token of `default` or has none. */
export type TokenPlace =
  | { readonly kind: 'none' }
  | { readonly kind: 'text' }
  | { readonly kind: 'environment'; readonly name: string }
  | { readonly kind: 'file'; readonly file: string };

export function tokenPlace(configText: string, configFile: string, site: string): TokenPlace {
  const reference = editorOf(configFile).textAt(configText, ['sites', site, 'token']);
  if (reference === null) return { kind: 'none' };
  if (reference.startsWith('env:')) return { kind: 'environment', name: reference.slice('env:'.length) };
  if (!reference.startsWith('file:')) return { kind: 'text' };
  return { kind: 'file', file: path.resolve(path.dirname(configFile), reference.slice('file:'.length)) };
}
