import * as z from 'zod';
import type { FaultAtPath } from '../../config/fault.ts';
import { list } from '../../core/config-values.ts';

/** One value, or a list of them; it is read as a list. */
export const oneOrMore = <Item extends z.ZodType>(item: Item, max: number) =>
  z.preprocess((written) => (Array.isArray(written) ? written : [written]), list(item, 1, max));

/** A fault of a single value has its own path, not that of the first in the list as which it was read. */
export function asWritten(fault: FaultAtPath, root: unknown): FaultAtPath {
  let value = root;
  const wrapped = fault.path.findIndex((step) => {
    const inside = value;
    value = isObject(value) ? (value as Record<string | number, unknown>)[step] : undefined;
    return typeof step === 'number' && !Array.isArray(inside);
  });
  return wrapped === -1 ? fault : { ...fault, path: fault.path.slice(0, wrapped) };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
