// Starts a thread in a clone of the repository. The loader for TypeScript has to be registered in each thread.
import { register } from 'tsx/esm/api';

register();
await import(process.argv[2]);
