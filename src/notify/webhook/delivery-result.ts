/** How one delivery ended. */
export interface DeliveryResult {
  readonly deliveryId: string;
  readonly delivered: boolean;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Why there is no HTTP status; null if there is one. */
  readonly error: string | null;
}
