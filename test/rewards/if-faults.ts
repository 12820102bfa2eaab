import { faultsOf } from '../config/examined.ts';

/** The faults of an `if`, each as code and path below it, in a config with the site `List`. */
export const faultsOfIf = async (written: object): Promise<readonly string[]> => {
  const reward = { name: 'thanks', when: 'always', if: written, commands: ['say hi'] };
  const faults = await faultsOf({ sites: { List: {} }, rewards: [reward] });
  return faults.map((fault) => fault.replace('rewards[0].if.', ''));
};
