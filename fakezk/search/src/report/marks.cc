#include "report/marks.h"

namespace lockstep::search {

std::string_view arrow(Moment::Kind kind, std::string_view text) {
  switch (kind) {
    case Moment::Kind::kRequest: return "-> ";
    case Moment::Kind::kReply: return "<- ";
    case Moment::Kind::kWatchEvent: return "<- ! ";
    case Moment::Kind::kConnection:
      return text == "connects" || text.starts_with("asks") ? "-> " : "<- ";
    case Moment::Kind::kServers:
    case Moment::Kind::kClock:
    case Moment::Kind::kFault: return "** ";
    case Moment::Kind::kGoOn:
    case Moment::Kind::kRemark: return "== ";
  }
  return "";
}

char sign(fakezk::Change::Kind kind) {
  switch (kind) {
    case fakezk::Change::Kind::kCreated: return '+';
    case fakezk::Change::Kind::kDeleted: return '-';
    case fakezk::Change::Kind::kDataSet:
    case fakezk::Change::Kind::kAclSet:
    case fakezk::Change::Kind::kChecked: return '~';
  }
  return '~';
}

}  // namespace lockstep::search
