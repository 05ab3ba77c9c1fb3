import { dayOf } from "../core/rails/trip.ts";
import { inTransaction } from "../store/commit.ts";
import { clearTrips, listTrips } from "../store/trips.ts";
import { type Operator, OperatorError } from "./operator.ts";

/** Ends what keeps a bot from increasing today; what it loses from then on counts anew. What was canceled stays canceled. */
export function clearTrip(operator: Operator, { accountId, bot }: { accountId: string; bot: string }) {
  const atMs = operator.clock.nowMs();
  return inTransaction(operator.store, (store) => {
    const standing = listTrips(store, { accountId, bot }, dayOf(atMs)).filter(
      ({ clearedAtMs }) => clearedAtMs === null,
    );
    if (standing.length === 0) throw new OperatorError(`nothing keeps the bot ${bot} from increasing today`);
    clearTrips(store, standing, { actor: "operator", atMs });
    return { account: accountId, bot, cleared: standing.map(({ id }) => id) };
  });
}
