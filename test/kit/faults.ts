/** A Teller whose parts cannot be prepared for a config, or cannot start, when a test says so. */
import { Problem } from '../../src/core/problem.ts';
import { Parts } from '../../src/main/parts.ts';

export type Faults = ReturnType<typeof faults>;

/** What `here` builds the parts with. Every step of every part that is in their list can fail. */
export function faults() {
  let failing = '';
  let names: readonly string[] = [];
  return {
    code: 'data-unwritable',
    /** The names of the parts, in the order of the list. */
    get parts() {
      return names;
    },
    /** From now on this step of this part fails; null: each works again. */
    fail: (step: 'prepare' | 'start' | 'startDelivering' | null, part = ''): void => {
      failing = step === null ? '' : `${step} ${part}`;
    },
    build: (...of: ConstructorParameters<typeof Parts>): Parts => {
      const parts = new Parts(...of);
      names = parts.list.map(({ name }) => name);
      const refuse = (step: string): void => {
        if (failing === step) throw new Problem('data-unwritable', `${step} fails`);
      };
      for (const part of parts.list) {
        const { name } = part;
        const prepare = part.prepare?.bind(part);
        const start = part.start?.bind(part);
        const startDelivering = part.startDelivering?.bind(part);
        part.prepare = async (next) => {
          refuse(`prepare ${name}`);
          return (await prepare?.(next)) ?? { commit: () => {} };
        };
        part.start = async () => {
          refuse(`start ${name}`);
          await start?.();
        };
        part.startDelivering = async () => {
          refuse(`startDelivering ${name}`);
          await startDelivering?.();
        };
      }
      return parts;
    },
  };
}
