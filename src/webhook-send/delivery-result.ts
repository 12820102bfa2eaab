/** How one delivery ended, for its sender. */
export interface DeliveryResult {
  readonly deliveryId: string;
  readonly delivered: boolean;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** The reason where there is no HTTP status. */
  readonly error: string | null;
}
