// Trained runs over HTTP.
#include "module/runs/bind.h"
#include "module/runs/opened.h"
#include "serve/run_server.h"

namespace calque::python {

void bind_serving(py::module_& module) {
  py::class_<RunServer>(module, "RunServer")
      .def(py::init([](const std::vector<std::string>& runs, const std::string& precision,
                       const std::string& host, int port, const std::vector<std::string>& keys) {
             std::vector<RunPlace> places;
             for (const std::string& run : runs) places.push_back(place_of(run, precision));
             ServiceOptions options;
             options.keys.insert(keys.begin(), keys.end());
             return std::make_unique<RunServer>(open_served_runs(places), options, host, port);
           }),
           py::call_guard<py::gil_scoped_release>())
      .def("port", &RunServer::port)
      .def("run", &RunServer::run, py::call_guard<py::gil_scoped_release>())
      .def("stop", &RunServer::stop, py::call_guard<py::gil_scoped_release>());
}

}  // namespace calque::python
