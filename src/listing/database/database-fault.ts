import { Problem } from '../../core/problem.ts';

/** Whether an error comes from the database, such as a full disk; any other error is a bug. */
export const isDatabaseFault = (error: unknown): error is Problem => error instanceof Problem;
