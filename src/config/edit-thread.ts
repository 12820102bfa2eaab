import { parentPort, workerData } from 'node:worker_threads';
import { type EditOrder, editedText } from './edit-steps.ts';

parentPort?.postMessage(editedText(workerData as EditOrder));
